#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "term/painted.h"
#include "term/screen.h"

namespace orch::term {

// Sizes in pixels of a cell of a 14 px monospace font, and of the margin around the screen.
inline constexpr double kSvgCellWidth = 8.4, kSvgCellHeight = 17, kSvgBaseline = 13, kSvgMargin = 8;
// The left edge of a column.
inline double svg_x(int col) { return kSvgMargin + kSvgCellWidth * col; }

// How many characters of UTF-8 the text has; each of them takes a cell.
int svg_characters(std::string_view text);

// The screen as an SVG picture: with colours and attributes, wide characters over two columns, and
// the cursor if it is shown. Text stays text, so that it can be searched, and cannot become markup.
// `instead` holds rows, by number, to be painted instead of the screen's own.
std::string render_svg(const Screen& screen,
                       const std::map<int, std::vector<PaintedRun>>& instead = {});

}  // namespace orch::term
