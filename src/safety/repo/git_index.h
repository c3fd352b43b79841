#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::repo {

// The paths in an index file of git: versions 2 to 4, SHA-1 or SHA-256
// (https://git-scm.com/docs/index-format). nullopt if the bytes are not an index. An index may be
// forged, so it only decides which files are kept first when space is short.
std::optional<std::vector<std::string>> paths_in_index(std::string_view bytes);
// Only the folders of submodules.
std::optional<std::vector<std::string>> submodules_in_index(std::string_view bytes);

}  // namespace orch::repo
