#pragma once

#include <string>
#include <string_view>

#include "detect/row_range.h"
#include "detect/rows.h"

namespace orch::detect {

// Whether the row holds only blanks and box-drawing or block glyphs, at least eight of them: a rule
// or the edge of a frame.
bool is_rule(std::string_view text);

// Whether the row is a rule or the edge of a frame, and is not itself inside of a frame. A dashed
// rule ("╌╌╌╌") does not count, because agents draw it inside of dialogs.
bool is_boundary(std::string_view row);

// `text` without leading and trailing blanks (U+00A0 too) and frame glyphs.
std::string_view bare(std::string_view text);

// The number of characters in `row` before `part`, which must point into `row`.
size_t column_of(std::string_view row, std::string_view part);

// The number of terminal columns that `text` takes.
size_t columns(std::string_view text);

// The number of characters before the text of the row, which are blanks and frames; -1 if the row
// has no text.
int text_column(std::string_view row);

// The row from this column on, counted in characters; empty if the row is shorter.
std::string_view from_column(std::string_view row, size_t column);

// The text of the rows without frames and blanks at their ends, joined by single spaces.
std::string joined(const Rows& rows, RowRange range);

}  // namespace orch::detect
