#pragma once

#include <string>
#include <string_view>

namespace orch::ui {

// A unified diff from git for a terminal: nothing in a name or a line can move the cursor or forge
// a line (base::printable). If `in_color`, headers, hunks, removed and added lines have colours.
// The line counts of a hunk distinguish its content from headers that look the same.
std::string painted_diff(std::string_view patch, bool in_color);

}  // namespace orch::ui
