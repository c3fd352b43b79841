#pragma once

#include <string>
#include <string_view>

#include "detect/row_range.h"
#include "detect/rows.h"

namespace orch::detect {

// A row of box-drawing or block glyphs and nothing else: a rule, the edge of a frame.
bool is_rule(std::string_view text);

// A rule or the edge of a frame that is not itself inside of a frame. A dashed rule ("╌╌╌╌") stands
// inside of dialogs and is none.
bool is_boundary(std::string_view row);

// `text` without leading and trailing blanks (also U+00A0) and frame glyphs.
std::string_view bare(std::string_view text);

// How many characters of `row` stand before `part`, which is a part of it.
size_t column_of(std::string_view row, std::string_view part);

// How many columns of a terminal `text` takes.
size_t columns(std::string_view text);

// The column where a row's own text begins behind blanks and frames; -1 in a row without text.
int text_column(std::string_view row);

// What stands in `row` from this column on; empty when it is shorter.
std::string_view from_column(std::string_view row, size_t column);

// The rows, trimmed of frames and blanks and joined by single spaces.
std::string joined(const Rows& rows, RowRange range);

}  // namespace orch::detect
