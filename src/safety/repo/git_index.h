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

// Whether two indexes stage the same: paths, modes, objects and flags. What git remembers of the
// files on the disk does not count, because git writes that anew whenever it looks. Bytes that are
// not an index are compared as they are.
bool stage_the_same(std::string_view one, std::string_view other);

}  // namespace orch::repo
