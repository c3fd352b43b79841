#include "term/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "described.h"
#include "recording.h"
#include "term/screen.h"

namespace orch::term {
namespace {

// Makes random output with text of all widths, valid and invalid controls, strings and modes.
class RandomOutput {
 public:
  explicit RandomOutput(unsigned seed) : random_(seed) {}

  unsigned below(size_t n) { return static_cast<unsigned>(random_() % n); }
  Size size() { return {1 + static_cast<int>(below(14)), 1 + static_cast<int>(below(6))}; }

  std::string output(unsigned pieces) {
    std::string out;
    while (pieces-- > 0) out += piece();
    return out;
  }

 private:
  template <size_t N>
  const char* one_of(const char* const (&pieces)[N]) {
    return pieces[below(N)];
  }

  std::string piece() {
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return text();
      case 4:
        return style();
      case 5:
        return mode();
      case 6:
        return place();
      case 7:
        return one_of({"\r", "\n", "\b", "\t", "\016", "\017", "\v", "\r\n", "\r\n\r\n\r\n"});
      case 8:
        return one_of({"\0337", "\0338", "\033D", "\033E", "\033M", "\033H", "\033(0", "\033(B",
                       "\033)0", "\033#8", "\033=", "\033>", "\033[s", "\033[u"});
      case 9:
        return string();
      case 10:
        return keyboard();
      case 11:
        return broken();
      case 12:
        return below(40) == 0 ? "\033c" : below(12) == 0 ? "\033[!p" : text();
      default:
        return edit();
    }
  }
  std::string text() {
    std::string out;
    for (unsigned n = 1 + below(6); n > 0; --n) {
      out += one_of({"a",       "Xy",       "hello",  "q",     "─",      "é",      " ",
                     "e\u0301", "中",       "文字",   "👩",     "💻",      "\u200D", "🏻",
                     "\u0301",  "👩\u200D💻", "\uFE0F", "\xff",  "\u3000", "lqk",    "❤",
                     "1\uFE0F", "🇩",        "🕵",   "\u20E3"});
    }
    return out;
  }
  std::string style() {
    return fmt::format("\033[{}m",
                       one_of({"", "1", "2;3", "4", "4:3", "5", "7", "8;9", "22", "31", "42", "95",
                               "39;49", "103", "38;5;100", "48:2::9:8:7", "38;2;1;2;3", "58;5;1"}));
  }
  std::string mode() {
    static constexpr int kModes[] = {1,    2,    6,    7,    25,   47,   66,
                                     1000, 1002, 1003, 1004, 1006, 1047, 1048,
                                     1049, 2004, 2026, 2027, 2031, 6,    7};
    if (below(5) == 0) return fmt::format("\033[{}{}", one_of({"4", "20"}), one_of({"h", "l"}));
    return fmt::format("\033[?{}{}", kModes[below(std::size(kModes))], one_of({"h", "l"}));
  }
  std::string place() {
    switch (below(4)) {
      case 0:
        return fmt::format("\033[{};{}r", below(6), below(8));
      case 1:
        return fmt::format("\033[{}{}", below(15), one_of({"A", "B", "C", "D", "G", "d"}));
      default:
        return fmt::format("\033[{};{}H", below(8), below(16));
    }
  }
  std::string edit() {
    return fmt::format("\033[{}{}", below(4),
                       one_of({"J", "K", "L", "M", "S", "T", "@", "P", "X", "b", "I", "Z", "g",
                               "?J", "?K", "n", "$p"}));
  }
  std::string string() {
    return one_of({"\033]2;title\a", "\033]0;ü\033\\", "\033]9;4;1;50\a", "\033]9;4;0;7\a",
                   "\033]9;4;3\a", "\033]7501;state=blocked:app=one:kind=permission\a",
                   "\033]7501;state=done:app=two\a", "\033]7501;state=clear\a", "\033]11;?\a",
                   "\033Pq\033\\", "\033_G\033\\"});
  }
  std::string keyboard() {
    switch (below(4)) {
      case 0:
        return fmt::format("\033[>{}u", below(32));
      case 1:
        return fmt::format("\033[<{}u", below(3));
      case 2:
        return fmt::format("\033[={};{}u", below(32), 1 + below(3));
      default:
        return fmt::format("\033[>4;{}m", below(3));
    }
  }
  std::string broken() {
    std::string out = one_of({"\033[", "\033]2;", "\033[?", "\033P", "\033", "\033[1;2:3", "\033(",
                              "\033[ 0", "\033[1$", "\033  ", "\033[;;;", "\033]2;a\xE4\xB8"});
    for (unsigned n = below(3); n > 0; --n) out += static_cast<char>(below(256));
    return out;
  }

  std::mt19937 random_;
};

// The part of a screen's description that bytes can reproduce: not the wrap mark of the last row,
// nor those of rows with one column, and not the number of frames that were drawn before.
std::string seen(Screen& screen, uint64_t frames_before, bool marks) {
  std::string out = describe(screen);
  out.resize(out.rfind("frames "));
  if (!marks) {
    for (size_t at = out.find('\n'); at != std::string::npos; at = out.find('\n', at + 1)) {
      const size_t mark = out.find_first_not_of("0123456789", at + 1);
      if (mark != std::string::npos && out[mark] == 'w') out.erase(mark, 1);
    }
  }
  for (int row = 0; row < screen.size().rows; ++row) {
    for (const CellCode code : screen.row(row).codes) out += code == kBlank ? '_' : '#';
    out += '\n';
  }
  return out + fmt::format("{} {}", screen.synchronized_frames() - frames_before,
                           base::printable(screen.take_replies()));
}

struct Twins {
  explicit Twins(Size size, const std::string& output) : first(size), second(size) {
    first.feed(output);
  }

  // Makes `second` equal to `first` by a snapshot. Returns false if they are equal except for the
  // blank that is needed to make a wrap pending where there is no character any more.
  bool part() {
    const std::string bytes = snapshot(first);
    INFO(base::printable(bytes));
    second.feed(bytes);
    CHECK(second.take_replies().empty());
    first.take_replies();
    before_first = first.synchronized_frames();
    before_second = second.synchronized_frames();
    if (code_at_cursor(first) == kBlank && code_at_cursor(second) == ' ') return false;
    compare();
    return true;
  }
  void feed(const std::string& output) {
    first.feed(output);
    second.feed(output);
    compare();
  }
  void resize(Size size) {
    first.resize(size);
    second.resize(size);
    compare();
  }
  void compare() {
    REQUIRE(seen(first, before_first, marks) == seen(second, before_second, marks));
  }

  static CellCode code_at_cursor(const Screen& screen) {
    return screen.row(screen.cursor_row()).codes[static_cast<size_t>(screen.cursor_col())];
  }

  Screen first, second;
  uint64_t before_first = 0, before_second = 0;
  bool marks = false;  // whether to compare the wrap marks
};

TEST_CASE("a snapshot brings another screen to the same state for all that follows") {
  int with_space = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    INFO("seed " << seed);
    RandomOutput random(seed);
    const Size size = random.size();
    std::string output = random.output(random.below(80));
    output.resize(random.below(output.size() + 1));
    INFO(size.cols << "x" << size.rows << " " << base::printable(output));
    Twins twins(size, output);
    if (random.below(3) == 0) {
      const Size next = random.size();
      twins.first.resize(next);
      twins.second.resize(next);
      twins.first.feed(random.output(random.below(10)));
    }
    if (!twins.part()) {
      ++with_space;
      continue;
    }
    std::string all;
    for (unsigned round = 0; round < 30; ++round) {
      if (random.below(12) == 0) {
        const Size next = random.size();
        all += fmt::format(" {}x{} ", next.cols, next.rows);
        INFO(all);
        twins.resize(next);
      } else {
        const std::string more = random.output(1 + random.below(3));
        all += base::printable(more) + "|";
        INFO(all);
        twins.feed(more);
      }
    }
  }
  CHECK(with_space <= 30);  // more would be a gap in this test
}

TEST_CASE("a snapshot keeps a pending wrap where nothing stands any more") {
  for (const char* text : {"0123456789\033[S", "0123456789\033[?47h", "\033[?7l0123456789\033[T",
                           "\033[4h0123456789\033[2S", "0123456789\0337\033[K\0338"}) {
    INFO(text);
    Twins twins({10, 4}, text);
    twins.part();
    twins.first.feed("\033[?7hx");
    twins.second.feed("\033[?7hx");
    CHECK(rows_text(twins.first) == rows_text(twins.second));
    CHECK(twins.second.cursor_row() == 1);
  }
}

TEST_CASE("a snapshot keeps what REP would repeat, and that it would repeat nothing") {
  for (const char* text :
       {"ab", "0123456789", "abc\r\033[4hxy", "中", "e\u0301", "\033[?7l0123456789", "ab\033[1m",
        "0123456789\033[m", "\033[2;3r\033[?6hab", "ab\033[3"}) {
    INFO(text);
    Twins twins({10, 4}, text);
    CHECK(twins.part());
    twins.feed("b");
    twins.feed("\033[4b");
  }
}

TEST_CASE("a snapshot keeps which rows are wrapped") {
  for (const char* text :
       {"abcdefghij", "abcdefghi中x", "abcdefgh中中中中中中中", "\033[?7l0123456789abc",
        "0123456789\r\nabc", "0123456789012345678901\0337\033[H\033[?1049hxx"}) {
    INFO(text);
    Twins twins({5, 4}, text);
    twins.marks = true;
    twins.part();
    twins.feed("\033[?1049l");
    twins.feed("more than one row");
  }
}

TEST_CASE("a snapshot of recordings at any byte") {
  for (const Recording& recording : all_recordings()) {
    INFO(recording.name);
    Screen screen(recording.size);
    size_t number = 0;
    for (const RecordedStep& step : recording.steps) {
      if (step.output.empty()) {
        screen.resize(step.size);
        continue;
      }
      const size_t cut = number * 7 % (step.output.size() + 1);
      screen.feed(step.output.substr(0, cut));
      if (++number % 97 == 0) {
        Screen other(screen.size());
        other.feed(snapshot(screen));
        screen.take_replies();
        const uint64_t frames = screen.synchronized_frames();
        REQUIRE(seen(other, 0, true) == seen(screen, frames, true));
      }
      screen.feed(step.output.substr(cut));
    }
  }
}

}  // namespace
}  // namespace orch::term
