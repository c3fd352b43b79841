#pragma once

#include <string>

#include "term/screen.h"

namespace orch::term {

// The screen as an SVG picture: colours and attributes, wide characters over two columns, the
// cursor where it is shown. Text stays text, so that it can be searched; nothing of it can become
// markup.
std::string render_svg(const Screen& screen);

}  // namespace orch::term
