#pragma once

#include <string>
#include <string_view>

namespace orch::store {

// An absolute path as records have it. JSON is text, a path is bytes: one that is not UTF-8 is
// written as the URL of a file ("file:///tmp/caf%E9"), so that a run still knows its folders.
std::string path_to_text(std::string_view path);
std::string path_from_text(std::string_view text);

}  // namespace orch::store
