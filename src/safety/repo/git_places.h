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

// Finds a repository's own files by looking at the disk; git is not run.

// The trees that belong to a work directory: the directory itself, and the git directory of its
// repository if that is elsewhere (the work directory is a subfolder, a linked worktree or a
// submodule). If that is not to be trusted, it is left out and `notes` says so.
std::vector<RootSpec> find_roots(const std::string& work_dir, std::vector<std::string>& notes);

// The git directory of the repository that a folder is in, and the one that all its worktrees
// share, which is the same unless this is a linked worktree; "" if there is none.
struct GitFolder {
  std::string own, common;
};
GitFolder git_folder_of(const std::string& folder);

// The content of a small regular file in a git directory; nullopt if it is not one.
std::optional<std::string> git_file(const std::string& path, size_t max_bytes);

// The folders of a tree where git keeps its state, including those of nested repositories and
// submodules; "" is the root itself.
std::vector<std::string> git_folders(const std::vector<std::string_view>& paths);

// The same, prepared for many queries.
class GitFolders {
 public:
  explicit GitFolders(const std::vector<std::string_view>& paths);
  bool contains(std::string_view folder) const { return folders_.contains(folder); }
  // The innermost of these folders that contains a path; nullptr if none does.
  const std::string* above(std::string_view path) const;
  const std::set<std::string, std::less<>>& all() const { return folders_; }

 private:
  std::set<std::string, std::less<>> folders_;
  std::set<size_t, std::greater<>> lengths_;  // lengths of folders_, the longest first
};

// The paths in the index of a git directory; nullopt without an index.
std::optional<std::vector<std::string>> tracked_paths(const std::string& git_folder);

// The absolute path without links for a path that may be relative to `folder`; "" if nothing is
// there.
std::string without_links(const std::string& folder, std::string_view path);

}  // namespace orch::repo
