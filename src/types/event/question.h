#pragma once

#include <string>

#include "event/event.h"

namespace orch::event {

// The question of a dialog in one printable line: the last row of its body that ends with a
// question mark, otherwise its title, otherwise the name of its cause.
std::string question_of(const Dialog& dialog);

}  // namespace orch::event
