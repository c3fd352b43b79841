#include "ui/painter.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "base/text.h"

namespace orch::ui {
namespace {

constexpr uint16_t kSeenOnSpaces = term::kUnderline | term::kInverse | term::kStrike;

std::string in_words(std::string text, term::Style style, Ink ink) {
  if (text.empty()) text = " ";
  if (ink == Ink::kMonochrome) style.fg = style.bg = {};
  if (text == " " && (style.attributes & kSeenOnSpaces) == 0)
    style = {.fg = {}, .bg = style.bg, .attributes = 0};
  const auto color = [](const term::Color& c) {
    return fmt::format("{}.{}.{}.{}", static_cast<int>(c.kind), c.r, c.g, c.b);
  };
  return fmt::format("{}/{}/{}/{}", text, color(style.fg), color(style.bg), style.attributes);
}

// The first cell in which the screen differs from the canvas.
std::string difference(const term::Screen& screen, const Canvas& canvas, Ink ink) {
  for (int row = 0; row < canvas.size().rows; ++row) {
    const term::RowView view = screen.row(row);
    for (int col = 0; col < canvas.size().cols; ++col) {
      const auto at = static_cast<size_t>(col);
      const Canvas::Cell& cell = canvas.cell(row, col);
      const bool tail = view.codes[at] == term::kWideTail;
      if (tail && cell.glyph.width == 0) continue;
      std::string text = tail ? "tail" : "";
      if (!tail) screen.append_text({view.codes.subspan(at, 1), view.styles.subspan(at, 1)}, text);
      const std::string drawn = in_words(text, screen.style(view.styles[at]), Ink::kColors);
      const std::string wanted = in_words(cell.glyph.text, cell.style, ink);
      if (drawn != wanted) return fmt::format("{},{}: {} instead of {}", row, col, drawn, wanted);
    }
  }
  return "";
}

class RandomCanvas {
 public:
  explicit RandomCanvas(unsigned seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  term::Size size() { return {1 + below(24), 1 + below(5)}; }

  void change(Canvas& canvas) {
    const auto [cols, rows] = canvas.size();
    const Canvas::Area area{below(rows + 1) - 1, below(cols + 2) - 2, below(4), below(cols + 3)};
    switch (below(8)) {
      case 0:
        return canvas.fill(area, style());
      case 1:
        return canvas.mark(area, term::kInverse);
      case 2:
        return canvas.set_cursor(below(2) == 0
                                     ? std::nullopt
                                     : std::optional(Canvas::Position{below(rows), below(cols)}));
      case 3: {
        term::Screen screen(size());
        for (int n = below(6); n > 0; --n)
          screen.feed(text() + fmt::format("\033[{}m", 30 + below(20)));
        return canvas.draw(screen, {below(3), below(4), below(9), below(30)}, area.row, area.col);
      }
      case 4:
        return canvas.fill({.row = 0, .col = 0, .rows = rows, .cols = cols}, {});
      default:
        canvas.put(area.row, area.col, text(), style(),
                   below(3) == 0 ? below(9) : Canvas::kToTheEdge);
    }
  }

 private:
  std::string text() {
    static constexpr const char* kPieces[] = {"a",    "hello",  "─",       " ",        "   ",
                                              "中",   "文字",   "👩",       "💻",        "\u200D",
                                              "🏻", "\u0301", "e\u0301", "\u202E",   "\033[",
                                              "\x9b", "\t",     "✳\uFE0F", "👩\u200D💻", "\u0600"};
    std::string out;
    for (int n = 1 + below(5); n > 0; --n) out += kPieces[below(std::size(kPieces))];
    return out;
  }
  term::Style style() {
    using term::Color;
    term::Style style;
    if (below(2) == 0) return style;
    if (below(3) == 0) style.fg = {.kind = Color::Kind::kIndexed, .r = 3};
    if (below(3) == 0) style.bg = {.kind = Color::Kind::kRgb, .r = 1, .g = 2, .b = 3};
    if (below(3) == 0) style.attributes = static_cast<uint16_t>(1 << below(8));
    return style;
  }

  std::mt19937 random_;
};

TEST_CASE("painting turns what was painted before into the next canvas") {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    INFO("seed " << seed);
    RandomCanvas random(seed);
    const Ink ink = seed % 3 == 0 ? Ink::kMonochrome : Ink::kColors;
    Painter painter(ink);
    Canvas canvas(random.size());
    term::Screen screen(canvas.size());
    screen.feed("what was there\033[31m before\033[?25l");
    for (int frame = 0; frame < 12; ++frame) {
      if (random.below(10) == 0) {
        canvas = Canvas(random.size());
        screen.resize(canvas.size());
      }
      if (random.below(10) == 0) {
        screen.feed("\033[H\033[41msomebody else\033[2;5Hdraws\033[m");
        painter.forget();
      }
      for (int n = random.below(4); n > 0; --n) random.change(canvas);
      const std::string bytes = painter.paint(canvas);
      INFO(base::printable(bytes));
      screen.feed(bytes);
      REQUIRE(difference(screen, canvas, ink) == "");
      REQUIRE(screen.modes().cursor_visible == canvas.cursor().has_value());
      if (canvas.cursor()) {
        REQUIRE(screen.cursor_row() == canvas.cursor()->row);
        REQUIRE(screen.cursor_col() == canvas.cursor()->col);
      }
      REQUIRE_FALSE(screen.modes().synchronized);
      REQUIRE(screen.take_replies().empty());
      REQUIRE(bytes.find("\u202E") == std::string::npos);
      REQUIRE(painter.paint(canvas).empty());
    }
  }
}

TEST_CASE("what is painted is little") {
  struct Change {
    const char* what;
    const char* before;
    const char* after;
    size_t most;
  };
  // Bytes: synchronized output around the frame, and the hidden cursor.
  constexpr size_t kFrame = 22;
  const Change changes[] = {
      {"one character", "hello world", "hello World", 1 + 6},
      {"the end goes", "hello world", "hello", 3 + 6},
      {"all goes", "hello world", "", 3 + 6},
      {"two neighbours", "a 1 b 1 c", "a 2 b 2 c", 5 + 6},
      {"far apart", "1 working and working 1", "2 working and working 2", 2 + 6 + 5}};
  for (const Change& change : changes) {
    INFO(change.what);
    Painter painter(Ink::kColors);
    Canvas before({80, 24}), after({80, 24});
    before.put(3, 0, change.before, {});
    after.put(3, 0, change.after, {});
    painter.paint(before);
    CHECK(painter.paint(after).size() <= kFrame + change.most);
  }
}

TEST_CASE("without colours bold and inverse are still seen") {
  Canvas canvas({9, 1});
  canvas.put(0, 0, "x",
             {.fg = {.kind = term::Color::Kind::kIndexed, .r = 1},
              .bg = {},
              .attributes = term::kBold | term::kInverse});
  CHECK(Painter(Ink::kMonochrome).paint(canvas).find("\033[0;1;7mx") != std::string::npos);
  CHECK(Painter(Ink::kColors).paint(canvas).find("\033[0;1;7;38;5;1mx") != std::string::npos);
}

}  // namespace
}  // namespace orch::ui
