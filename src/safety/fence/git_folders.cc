#include "fence/git_folders.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "fence/places.h"
#include "store/file_io.h"
#include "store/folder.h"

namespace orch::fence {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostBytes = 64 << 10;  // of one of git's small files

std::string text_of(const std::string& path) {
  const base::Result<std::string> text = store::read_regular_file(path, kMostBytes);
  return text ? std::string(base::trim(*text)) : std::string();
}

// A path as a file in `folder` says it; a relative one starts from there.
std::optional<std::string> path_in(const std::string& folder, std::string_view path) {
  return resolved((fs::path(folder) / path).string());
}

// Whether the git folder of a submodule or worktree says that it belongs to `root`.
bool names_back(const std::string& git, const std::string& root) {
  if (const std::string back = text_of(git + "/gitdir"); !back.empty()) {
    return path_in(git, back) == resolved(root + "/.git");
  }
  const std::string config = text_of(git + "/config");
  for (const std::string_view line : base::split_lines(config)) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || base::trim(line.substr(0, equals)) != "worktree") {
      continue;
    }
    return path_in(git, base::trim(line.substr(equals + 1))) == root;
  }
  return false;
}

// Whether git would take the folder for a repository. Never a folder that contains the worktree: it
// would get everything around the worktree granted.
bool is_shared_git_folder(const std::string& git, const std::string& root) {
  std::error_code failure;
  return !is_within(root, git) && fs::is_regular_file(fs::symlink_status(git + "/HEAD", failure)) &&
         store::is_folder(git + "/objects") && store::is_folder(git + "/refs");
}

std::vector<std::string> folders_of_file(const std::string& root) {
  constexpr std::string_view kLead = "gitdir: ";
  const std::string text = text_of(root + "/.git");
  if (!text.starts_with(kLead)) return {};
  const std::optional<std::string> git = path_in(root, std::string_view(text).substr(kLead.size()));
  if (!git || is_within(root, *git) || !names_back(*git, root)) return {};
  std::vector<std::string> folders{*git};
  const std::string common = text_of(*git + "/commondir");
  if (common.empty()) return folders;
  const std::optional<std::string> shared = path_in(*git, common);
  // The git folder of a worktree is worktrees/NAME in the common one.
  if (shared && fs::path(*git).parent_path() == fs::path(*shared) / "worktrees" &&
      is_shared_git_folder(*shared, root)) {
    folders.push_back(*shared);
  }
  return folders;
}

}  // namespace

std::vector<std::string> git_folders_of(const std::string& work_dir) {
  std::error_code failure;
  for (fs::path root = work_dir;; root = root.parent_path()) {
    const fs::path git = root / ".git";
    const fs::file_status status = fs::symlink_status(git, failure);
    if (fs::is_regular_file(status)) return folders_of_file(root.string());
    if (fs::is_directory(status)) {
      if (root == work_dir) return {};
      return {git.string()};
    }
    if (root == root.root_path() || root.empty()) return {};
  }
}

}  // namespace orch::fence
