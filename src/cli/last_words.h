#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::cli {

// The mark of each row of a message to the agent in the transcript (event::to_text).
inline constexpr std::string_view kEcho = "❯ ";

// The last lines of the agent's words since the last message to it, at most so many, without the
// keyword by which it says that it is done, and without blank lines at their ends. Where they
// cannot be read, one line says so.
std::vector<std::string> last_words(const std::string& run_folder, const std::string& keyword,
                                    size_t most);

}  // namespace orch::cli
