#pragma once

#include <string_view>

namespace orch::base {

// Whether `path` is the folder itself or is in it. Both are absolute, or relative to the same
// folder, and without ".", ".." and a slash at the end.
inline bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace orch::base
