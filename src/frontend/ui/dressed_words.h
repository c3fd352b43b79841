#pragma once

#include <string>
#include <string_view>

#include "term/screen.h"
#include "ui/painter.h"

namespace orch::ui {

// `text`, a line of the agent's words, with the colours and attributes that it has on the agent's
// screen. Text that is not a row of its own there is returned unchanged. The result has only the
// characters of `text` and SGR sequences. Backgrounds, and foregrounds without a hue, are left out:
// the words must be readable on any terminal.
std::string dressed(std::string_view text, const term::Screen& screen, Ink ink);

}  // namespace orch::ui
