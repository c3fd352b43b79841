#pragma once

#include <string>
#include <string_view>

namespace orch::ui {

// A unified diff of git's for a terminal: nothing in a name or a line can move the cursor or forge
// a line (base::printable), and if `in_color`, headers, hunks, removed and added lines have
// colours. A line of content that looks like a header is told from one by the counts of its hunk.
std::string painted_diff(std::string_view patch, bool in_color);

}  // namespace orch::ui
