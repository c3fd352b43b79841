#pragma once

#include <string>
#include <string_view>

namespace orch::store {

// Converts an absolute path to the text of JSON records and back. A path that is not UTF-8 is
// written as a file URL ("file:///tmp/caf%E9"), so that a run still finds its folders.
std::string path_to_text(std::string_view path);
std::string path_from_text(std::string_view text);

}  // namespace orch::store
