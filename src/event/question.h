#pragma once

#include <string>

#include "event/event.h"

namespace orch::event {

// What a dialog asks, in one printable line: the last row of its body that looks like a question,
// else its title, else the word of its cause.
std::string question_of(const Dialog& dialog);

}  // namespace orch::event
