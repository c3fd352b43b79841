#pragma once

#include <string>
#include <string_view>

#include "term/screen.h"
#include "ui/painter.h"

namespace orch::ui {

// `text`, a line that an agent has said, in the colours and with the attributes with which it
// stands on the agent's screen. Where it does not stand there as a row of its own, it is returned
// as it is. Only the characters of `text` are ever returned, and SGR sequences. Backgrounds, and
// foregrounds without a hue, are left out: the words must be readable on any terminal.
std::string dressed(std::string_view text, const term::Screen& screen, Ink ink);

}  // namespace orch::ui
