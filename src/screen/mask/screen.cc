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

// The text of some rows, and the source cell of each byte.
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

void add_row(const term::Screen& screen, int number, ScreenText& text) {
  const term::RowView row = screen.row(number);
  size_t length = row.codes.size();
  while (length > 0 && row.codes[length - 1] == term::kBlank) --length;
  for (size_t col = 0; col < length; ++col) {
    const term::CellCode code = row.codes[col];
    if (code > term::kBlank && code < 0x80) {
      const char byte = static_cast<char>(code);
      text.add({&byte, 1}, number, static_cast<int>(col));
    } else {
      text.add(character_of(screen, row, col), number, static_cast<int>(col));
    }
  }
  text.add("\n", number, static_cast<int>(length));
}

// The cells of the text's bytes in these spans, row by row.
std::vector<Cells> cells_of(const term::Screen& screen, const ScreenText& text,
                            const std::vector<Span>& spans) {
  std::vector<Cells> cells;
  for (const Span& span : spans) {
    for (auto at = static_cast<size_t>(span.from); at < span.to; ++at) {
      const auto [row, col] = text.places[at];
      if (text.text[at] == '\n') continue;
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
  return ScreenSearch(secrets).find_on(screen);
}

std::vector<Cells> ScreenSearch::find_on(const term::Screen& screen) {
  if (rows_.empty() || size_ != screen.size()) {
    size_ = screen.size();
    rows_.assign(static_cast<size_t>(size_.rows), Row());
    rows_.front().begins_apart = true;
  }
  const auto changed = [&](size_t row) {
    return rows_[row].stamp != screen.stamp(static_cast<int>(row));
  };
  size_t begin = 0, end = rows_.size();
  while (begin < end && !changed(begin)) ++begin;
  while (end > begin && !changed(end - 1)) --end;
  if (begin < end) search(screen, begin, end);
  std::vector<Cells> all;
  for (const Row& row : rows_) all.insert(all.end(), row.cells.begin(), row.cells.end());
  return all;
}

// Begins at a row where no secret can continue from above, and goes on beyond `changed_end` to a
// row where none can continue, now or in the previous search.
void ScreenSearch::search(const term::Screen& screen, size_t begin, size_t changed_end) {
  while (!rows_[begin].begins_apart) --begin;
  Marker marker(secrets_);
  ScreenText text;
  for (size_t i = begin; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    const bool apart = marker.is_at_rest();
    if (i >= changed_end && apart && row.begins_apart) break;
    row = {screen.stamp(static_cast<int>(i)), apart, {}};
    const size_t fed = text.text.size();
    add_row(screen, static_cast<int>(i), text);
    marker.feed(std::string_view(text.text).substr(fed));
  }
  for (const Cells& cells : cells_of(screen, text, joined(marker.take_spans()))) {
    rows_[static_cast<size_t>(cells.row)].cells.push_back(cells);
  }
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
