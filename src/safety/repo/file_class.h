#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "repo/git_places.h"
#include "repo/tree.h"

namespace orch::repo {

// The classes of files that decide which ones a snapshot keeps when space is short; see
// snapshot.cc.
enum class FileClass : uint8_t { kGit, kObject, kTracked, kOther };

// Finds the class of each file of a tree.
class FileClasses {
 public:
  FileClasses(const std::string& root, const Tree& tree);

  // Adds the paths of a further index; they are relative to `base`.
  void add(const std::string& base, const std::vector<std::string>& paths);

  FileClass of(std::string_view path) const;

  // The largest folder around an untracked file that contains untracked files only; otherwise the
  // file itself.
  std::string unit_of(std::string_view path) const;

 private:
  GitFolders git_folders_;
  std::unordered_set<std::string> tracked_, tracked_folders_;
};

}  // namespace orch::repo
