#pragma once

#include <map>
#include <string>
#include <vector>

#include "term/painted.h"
#include "term/screen.h"

namespace orch::term {

// Pixels of a cell of a 14 px monospace font, and of the margin around the screen.
inline constexpr double kSvgCellWidth = 8.4, kSvgCellHeight = 17, kSvgBaseline = 13, kSvgMargin = 8;

// The screen as an SVG picture: colours and attributes, wide characters over two columns, the
// cursor where it is shown. Text stays text, so that it can be searched; nothing of it can become
// markup.
// `instead` has the rows, by number, that are painted in another way than the screen has them.
std::string render_svg(const Screen& screen,
                       const std::map<int, std::vector<PaintedRun>>& instead = {});

}  // namespace orch::term
