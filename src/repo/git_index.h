#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::repo {

// The paths that an index file of git names: versions 2 to 4, SHA-1 or SHA-256
// (https://git-scm.com/docs/index-format). Nothing when the bytes are no such file. The file is
// its repository's word: it decides what is kept first, never what is kept right.
std::optional<std::vector<std::string>> paths_in_index(std::string_view bytes);
// The folders of submodules alone.
std::optional<std::vector<std::string>> submodules_in_index(std::string_view bytes);

}  // namespace orch::repo
