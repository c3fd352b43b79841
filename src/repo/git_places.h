#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "repo/manifest.h"

namespace orch::repo {

// Where a repository's own files are, found by looking at them: git is not asked.

// The trees that belong to a work directory: itself, and the git directory of its repository where
// that lies elsewhere (a subdirectory, a linked worktree, a submodule). Where it does and is not
// to be trusted, `notes` says so.
std::vector<RootSpec> find_roots(const std::string& work_dir, std::vector<std::string>& notes);

// The git directory of the repository that a folder is in, and the one that its worktrees share,
// which is the same outside of a linked worktree; "" where there is none.
struct GitFolder {
  std::string own, common;
};
GitFolder git_folder_of(const std::string& folder);

// The content of a small regular file of a git directory; nothing where it is none.
std::optional<std::string> git_file(const std::string& path, size_t max_bytes);

// The folders of a tree that git keeps its state in, nested repositories' and submodules' too;
// "" is the root itself.
std::vector<std::string> git_folders(const std::vector<std::string_view>& paths);

// The same, to be asked for one of the many paths of a tree.
class GitFolders {
 public:
  explicit GitFolders(const std::vector<std::string_view>& paths);
  bool contains(std::string_view folder) const { return folders_.contains(folder); }
  // The innermost of them that a path lies below; nullptr when it lies below none.
  const std::string* above(std::string_view path) const;
  const std::set<std::string, std::less<>>& all() const { return folders_; }

 private:
  std::set<std::string, std::less<>> folders_;
  std::set<size_t, std::greater<>> lengths_;  // of them: how far into a path one may end
};

// The paths in the index of a git directory; nothing where there is none.
std::optional<std::vector<std::string>> tracked_paths(const std::string& git_folder);

// An absolute path without links, of one that may be relative to a folder; "" when nothing is
// there.
std::string without_links(const std::string& folder, std::string_view path);

}  // namespace orch::repo
