#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "repo/git_places.h"
#include "repo/tree.h"

namespace orch::repo {

// How a file is kept when space is short: the first of these first.
enum class FileClass : uint8_t { kGit, kObject, kTracked, kOther };

// Which class each file of a tree has.
class FileClasses {
 public:
  FileClasses(const std::string& root, const Tree& tree);

  // The paths of one more index, which are below `base`.
  void add(const std::string& base, const std::vector<std::string>& paths);

  FileClass of(std::string_view path) const;

  // The largest folder around an untracked file that holds nothing but such; else the file.
  std::string unit_of(std::string_view path) const;

 private:
  GitFolders git_folders_;
  std::unordered_set<std::string> tracked_, tracked_folders_;
};

}  // namespace orch::repo
