#include "mask/screen.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "base/invisible.h"
#include "base/text.h"
#include "mask/marker.h"
#include "mask/text.h"

namespace orch::mask {
namespace {

constexpr std::string_view kMarker = "cover=";
// More cells than any marker that orch wrote names: one secret in each row of the largest screen.
constexpr size_t kMostCells = 4096;

// The text of all rows, and for each byte of it the cell from which it came.
struct ScreenText {
  struct Place {
    int row = 0, col = 0;
  };
  std::string text;
  std::vector<Place> places;

  void add(std::string_view bytes, int row, int col) {
    text.append(bytes);
    places.insert(places.end(), bytes.size(), {row, col});
  }
};

// A cell's character without its combining marks; "" for the right half of a wide character.
std::string character_of(const term::Screen& screen, const term::RowView& row, size_t col) {
  const term::CellCode code = row.codes[col];
  if (code == term::kWideTail) return "";
  if (code == term::kBlank) return " ";
  std::string text;
  if (base::is_invisible(code)) return "";
  if (code < term::kClusterBase) {
    base::append_utf8(text, code);
    return text;
  }
  screen.append_text({row.codes.subspan(col, 1), row.styles.subspan(col, 1), false}, text);
  text.resize(text.empty() ? 0 : base::decode_utf8(text).length);
  return text;
}

ScreenText text_of(const term::Screen& screen) {
  ScreenText all;
  for (int i = 0; i < screen.size().rows; ++i) {
    const term::RowView row = screen.row(i);
    size_t length = row.codes.size();
    while (length > 0 && row.codes[length - 1] == term::kBlank) --length;
    for (size_t col = 0; col < length; ++col) {
      const term::CellCode code = row.codes[col];
      if (code > term::kBlank && code < 0x80) {
        const char byte = static_cast<char>(code);
        all.add({&byte, 1}, i, static_cast<int>(col));
      } else {
        all.add(character_of(screen, row, col), i, static_cast<int>(col));
      }
    }
    all.add("\n", i, static_cast<int>(length));
  }
  return all;
}

std::optional<int> take_number(std::string_view& text, char end) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  if (end == '\0') return number;
  if (!text.starts_with(end)) return std::nullopt;
  text.remove_prefix(1);
  return number;
}

}  // namespace

std::vector<Cells> find_on(const std::shared_ptr<const Secrets>& secrets,
                           const term::Screen& screen) {
  const ScreenText all = text_of(screen);
  std::vector<Cells> cells;
  for (const Span& span : find(secrets, all.text)) {
    for (auto at = static_cast<size_t>(span.from); at < span.to; ++at) {
      const auto [row, col] = all.places[at];
      if (all.text[at] == '\n') continue;
      const auto& codes = screen.row(row).codes;
      const auto next = static_cast<size_t>(col) + 1;
      const bool wide = next < codes.size() && codes[next] == term::kWideTail;
      const int end = col + (wide ? 2 : 1);
      if (!cells.empty() && cells.back().row == row && cells.back().to >= col) {
        cells.back().to = std::max(cells.back().to, end);
      } else {
        cells.push_back({row, col, end});
      }
    }
  }
  return cells;
}

std::vector<Standing> standing_in(const term::Screen& screen, const std::vector<Cells>& cells) {
  std::vector<Standing> all;
  for (const auto& [row, from, to] : cells) {
    if (row < 0 || row >= screen.size().rows || from < 0) continue;
    const auto& codes = screen.row(row).codes;
    const auto end = std::min(static_cast<size_t>(std::max(to, from)), codes.size());
    Standing one{row, from, {}};
    for (auto col = static_cast<size_t>(from); col < end; ++col) one.codes.push_back(codes[col]);
    if (!one.codes.empty()) all.push_back(std::move(one));
  }
  return all;
}

std::vector<Cells> parts_on(const std::vector<Standing>& later, const term::Screen& screen) {
  std::vector<Cells> parts;
  for (const auto& [row, from, codes] : later) {
    if (row >= screen.size().rows) continue;
    const auto& here = screen.row(row).codes;
    for (size_t i = 0; i < codes.size(); ++i) {
      const auto col = static_cast<size_t>(from) + i;
      const bool shows = codes[i] != term::kBlank && codes[i] != ' ' && codes[i] != '*';
      if (!shows || col >= here.size() || here[col] != codes[i]) continue;
      const int at = static_cast<int>(col);
      if (!parts.empty() && parts.back().row == row && parts.back().to == at) {
        ++parts.back().to;
      } else {
        parts.push_back({row, at, at + 1});
      }
    }
  }
  return parts;
}

void cover(term::Screen& screen, const std::vector<Cells>& cells) {
  for (const auto& [row, from, to] : cells) screen.cover(row, from, to);
}

std::string cover_marker(const std::vector<Cells>& cells) {
  std::string text(kMarker);
  for (const auto& [row, from, to] : cells) {
    if (text.size() > kMarker.size()) text += ' ';
    text += std::to_string(row) + ":" + std::to_string(from) + "-" + std::to_string(to);
  }
  return text;
}

std::vector<Cells> read_cover_marker(std::string_view text) {
  std::vector<Cells> cells;
  if (!text.starts_with(kMarker)) return cells;
  text.remove_prefix(kMarker.size());
  while (!text.empty() && cells.size() < kMostCells) {
    const std::optional<int> row = take_number(text, ':');
    const std::optional<int> from = row ? take_number(text, '-') : std::nullopt;
    const std::optional<int> to = from ? take_number(text, '\0') : std::nullopt;
    if (!to) return cells;
    cells.push_back({*row, *from, *to});
    if (!text.empty()) text.remove_prefix(1);
  }
  return cells;
}

}  // namespace orch::mask
