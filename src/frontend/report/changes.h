#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orch::report {

// A unified diff as HTML: for each file its name, how many lines differ, and the lines, folded.
// The lines of a file beyond `max_bytes` of all files are left out, and the file says so. "" for an
// empty diff.
std::string changes_of(std::string_view patch, size_t max_bytes);

}  // namespace orch::report
