// Printing: text runs into cells, wrapping, wide and combining characters, interned styles.

#include <array>
#include <optional>

#include "base/text.h"
#include "term/terminal_fast.h"

namespace orch::term {
namespace {

// The DEC special graphics set, 0x5F to 0x7E (VT220 programmer reference, table 2-4).
constexpr std::array<char16_t, 32> kDecGraphics = {
    0x00A0, 0x25C6, 0x2592, 0x2409, 0x240C, 0x240D, 0x240A, 0x00B0, 0x00B1, 0x2424, 0x240B,
    0x2518, 0x2510, 0x250C, 0x2514, 0x253C, 0x23BA, 0x23BB, 0x2500, 0x23BC, 0x23BD, 0x251C,
    0x2524, 0x2534, 0x252C, 0x2502, 0x2264, 0x2265, 0x03C0, 0x2260, 0x00A3, 0x00B7};

}  // namespace

// Writes text one character at a time, as a translated character set or insert mode requires.
void Terminal::put_characters(const char* at, const char* end) {
  while (at != end) {
    const base::Decoded decoded = base::decode_utf8({at, end});
    put(decoded.code_point);
    at += decoded.length;
  }
}

void Terminal::put(char32_t code_point) {
  if (cursor_.charsets[cursor_.shift] == Charset::kDecGraphics && code_point >= 0x5F &&
      code_point <= 0x7E) {
    code_point = kDecGraphics[code_point - 0x5F];
  }
  const int width = widths_.width(code_point);
  if (width == 0 || (widths_.is_emoji(code_point) && joins_left(code_point))) {
    combine(code_point);
    return;
  }
  if (width > size_.cols) return;
  last_character_ = code_point;
  put_cell(code_point, width);
}

void Terminal::put_cell(CellCode code, int width) {
  wrap_if_pending();
  if (cursor_.col + width > size_.cols) {
    if (modes_.autowrap) {
      wrap();
    } else {
      cursor_.col = size_.cols - width;
    }
  }
  const int row = cursor_.row, col = cursor_.col;
  if (modes_.insert) grid_->insert_cells(row, col, width, blank());
  Grid::Line& line = grid_->prepare(row, col, col + width);
  line.codes[col] = code;
  line.styles[col] = pen_id_;
  if (width == 2) {
    line.wide = true;
    line.codes[col + 1] = kWideTail;
    line.styles[col + 1] = pen_id_;
  }
  advance(width);
}

void Terminal::wrap() {
  grid_->set_wrapped(cursor_.row, true);
  line_feed();
  cursor_.col = 0;
}

std::u32string_view Terminal::contents(const CellCode& cell) const {
  static_assert(sizeof(CellCode) == sizeof(char32_t));
  if (cell >= kClusterBase) return clusters_[cell - kClusterBase];
  return {reinterpret_cast<const char32_t*>(&cell), 1};
}

// Whether an emoji goes into the cell to its left. In a window of one column there are none.
bool Terminal::takes(const CellCode& left, char32_t code_point) const {
  return size_.cols > 1 && left != kBlank && joins_emoji(contents(left), code_point);
}

// The column of the character to the left of the cursor, or under it when a wrap is pending; -1 for
// none.
int Terminal::left_of_cursor() const {
  const int col = cursor_.wrap_pending ? cursor_.col : cursor_.col - 1;
  return col > 0 && grid_->line(cursor_.row).codes[col] == kWideTail ? col - 1 : col;
}

bool Terminal::joins_left(char32_t code_point) const {
  const int col = left_of_cursor();
  return modes_.grapheme_clusters && col >= 0 &&
         takes(grid_->line(cursor_.row).codes[col], code_point);
}

// Adds a mark, or the next part of an emoji, to the character to the left of the cursor; without a
// character, the mark is dropped. C1 controls come here, too, because they have no width.
void Terminal::combine(char32_t mark) {
  if (mark < 0xA0) return;
  const int col = left_of_cursor();
  if (col < 0) return;
  CellCode* codes = grid_->line(cursor_.row).codes;
  if (codes[col] == kBlank) return;
  const bool wide = codes[col + 1] == kWideTail || !modes_.grapheme_clusters;
  const bool grows = !wide && widens(contents(codes[col]), mark);
  if (grows && size_.cols == 1) return;
  const CellCode joined = joined_of(codes[col], mark);
  if (joined == kBlank) return;
  if (grows) {
    put_widened(joined, col);
    return;
  }
  grid_->prepare(cursor_.row, col, col);
  codes[col] = joined;
}

// Writes a character that has become one of two columns over the one at `col`, in its style. In the
// last column there is no room for it, so it wraps as any wide character does.
void Terminal::put_widened(CellCode code, int col) {
  const int row = cursor_.row;
  pen_id_ = grid_->line(row).styles[col];
  if (col == size_.cols - 1) {
    grid_->erase<Portable>(row, col, col + 1, blank());
  } else if (modes_.insert) {
    grid_->delete_cells(row, col, 1, blank());
  }
  move_to(row, col);
  put_cell(code, 2);
  pen_id_ = id_of(cursor_.pen);
}

// The code of the cluster of the cell's contents and the mark; kBlank if the cell takes no further
// mark, or the table is full. The same few are asked for again and again.
CellCode Terminal::joined_of(CellCode left, char32_t mark) {
  Joined& known = joined_[(left + mark) % joined_.size()];
  if (known.left == left && known.mark == mark) return known.joined;
  known = {left, mark, kBlank};
  const Cluster cluster = with_mark(clusters_, left, mark);
  const uint32_t id = cluster.empty() ? 0 : intern(cluster);
  const CellCode joined = id == 0 ? kBlank : kClusterBase + id;
  if (id == 0) known = {};
  // If clusters were reclaimed, they have other codes now, and `known` was cleared.
  if (known.left == left && known.mark == mark) known.joined = joined;
  return joined;
}

// REP. Once every row that can scroll is full of the character, further repeats change only the
// cursor's position. Whole rows beyond that are left out, so that the work and the rows that scroll
// off are bounded by about one screen.
void Terminal::repeat_last(int count) {
  const char32_t character = repeatable();
  if (character == 0) return;
  const int width = widths_.width(character);
  const int row = size_.cols / width;
  const int most = row * (size_.rows + 1);
  if (count > most) count = most + (count - most) % row;
  for (; count > 0; --count) put_cell(character, width);
}

StyleId Terminal::look_up(const Pen& pen) {
  const auto id = static_cast<StyleId>(intern(pen));
  // The id is not cached if it is the default style's, standing in for this one.
  if (styles_[id] == pen) pen_cache_.keep(pen, id);
  return id;
}

// If 65535 other styles are on the screen, the table has no room and the default style stands in.
uint32_t Terminal::intern(const Pen& pen) {
  std::optional<uint32_t> id = styles_.find_or_add(pen);
  if (!id && styles_.worth_compacting()) {
    reclaim_styles();
    id = styles_.find_or_add(pen);
  }
  return id.value_or(0);
}

void Terminal::reclaim_styles() {
  std::vector<bool> in_use(styles_.size(), false);
  in_use[pen_id_] = true;
  const std::array<Grid*, 2> grids = {&main_, alternate_.get()};
  for (Grid* grid : grids) {
    if (grid == nullptr) continue;
    for (const StyleId id : grid->all_styles()) in_use[id] = true;
  }
  const std::vector<uint32_t> renamed = styles_.compact(in_use);
  pen_cache_.clear();
  pen_id_ = static_cast<StyleId>(renamed[pen_id_]);
  for (Grid* grid : grids) {
    if (grid == nullptr) continue;
    for (StyleId& id : grid->all_styles()) id = static_cast<StyleId>(renamed[id]);
  }
}

// Returns 0 if the table is full; the mark is dropped then.
uint32_t Terminal::intern(const Cluster& cluster) {
  std::optional<uint32_t> id = clusters_.find_or_add(cluster);
  if (!id && clusters_.worth_compacting()) {
    reclaim_clusters();
    id = clusters_.find_or_add(cluster);
  }
  return id.value_or(0);
}

void Terminal::reclaim_clusters() {
  const auto is_cluster = [](CellCode code) { return code >= kClusterBase && code != kWideTail; };
  std::vector<bool> in_use(clusters_.size(), false);
  const std::array<Grid*, 2> grids = {&main_, alternate_.get()};
  for (Grid* grid : grids) {
    if (grid == nullptr) continue;
    for (const CellCode code : grid->all_codes()) {
      if (is_cluster(code)) in_use[code - kClusterBase] = true;
    }
  }
  const std::vector<uint32_t> renamed = clusters_.compact(in_use);
  joined_ = {};
  for (Grid* grid : grids) {
    if (grid == nullptr) continue;
    for (CellCode& code : grid->all_codes()) {
      if (is_cluster(code)) code = kClusterBase + renamed[code - kClusterBase];
    }
  }
}

}  // namespace orch::term
