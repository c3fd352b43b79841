#pragma once

#include <string>

#include "term/screen.h"

namespace orch::term {

// Pixels of a cell of a 14 px monospace font, and of the margin around the screen.
inline constexpr double kSvgCellWidth = 8.4, kSvgCellHeight = 17, kSvgBaseline = 13, kSvgMargin = 8;

// The screen as an SVG picture: colours and attributes, wide characters over two columns, the
// cursor where it is shown. Text stays text, so that it can be searched; nothing of it can become
// markup.
std::string render_svg(const Screen& screen);

}  // namespace orch::term
