#include "repo/git_places.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

#include "base/text.h"
#include "repo/git_index.h"
#include "store/file_io.h"
#include "store/folder.h"

namespace orch::repo {
namespace {

constexpr size_t kMaxIndexBytes = size_t{256} << 20;
constexpr size_t kMaxLinkFileBytes = 4096;

bool is_own_git_folder(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         ::access((path + "/HEAD").c_str(), F_OK) == 0 && store::is_folder(path + "/objects") &&
         store::is_folder(path + "/refs");
}

// Whether the index of the git directory `git` names a file in `folder`.
bool tracks(const std::string& git, const std::string& folder) {
  const std::string_view top = parent_of(git);
  const auto paths = tracked_paths(git);
  if (!paths || folder.size() <= top.size()) return true;
  const std::string prefix = folder.substr(top.size() + 1) + "/";
  return std::any_of(paths->begin(), paths->end(),
                     [&](const std::string& path) { return path.starts_with(prefix); });
}

}  // namespace

std::optional<std::string> git_file(const std::string& path, size_t max_bytes) {
  struct stat info {};
  // lstat() first, because opening a pipe could block.
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  base::Result<std::string> text = store::read_regular_file(path, max_bytes);
  if (!text) return std::nullopt;
  return std::move(text).value();
}

GitFolder git_folder_of(const std::string& folder) {
  GitFolder git;
  for (std::string at = folder; !at.empty(); at = std::string(parent_of(at))) {
    struct stat info {};
    const std::string dot_git = at + "/.git";
    if (::lstat(dot_git.c_str(), &info) != 0) continue;
    git.own = dot_git;
    if (S_ISLNK(info.st_mode)) git.own = without_links(at, ".git");
    if (const auto text = git_file(dot_git, kMaxLinkFileBytes)) {
      const std::string_view line = base::trim(*text);
      git.own = line.starts_with("gitdir:") ? without_links(at, base::trim(line.substr(7))) : "";
    }
    break;
  }
  if (git.own.empty()) return git;
  git.common = git.own;
  if (const auto text = git_file(git.own + "/commondir", kMaxLinkFileBytes)) {
    git.common = without_links(git.own, base::trim(*text));
  }
  return git;
}

std::optional<std::vector<std::string>> tracked_paths(const std::string& git_folder) {
  const auto bytes = git_file(git_folder + "/index", kMaxIndexBytes);
  return bytes ? paths_in_index(*bytes) : std::nullopt;
}

std::string without_links(const std::string& folder, std::string_view path) {
  const std::string absolute =
      path.starts_with('/') ? std::string(path) : folder + "/" + std::string(path);
  char* real = ::realpath(absolute.c_str(), nullptr);
  if (real == nullptr) return "";
  std::string result = real;
  ::free(real);  // NOLINT(*-no-malloc, *-owning-memory): realpath's contract
  return result;
}

std::vector<std::string> git_folders(const std::vector<std::string_view>& paths) {
  const std::unordered_set<std::string_view> known(paths.begin(), paths.end());
  std::vector<std::string> found;
  for (const std::string_view path : paths) {
    if (name_of(path) != "HEAD") continue;
    const std::string folder(parent_of(path));
    const auto holds = [&](std::string_view name) { return known.contains(joined(folder, name)); };
    if ((holds("objects") && holds("refs")) || (holds("commondir") && holds("gitdir"))) {
      found.push_back(folder);
    }
  }
  return found;
}

GitFolders::GitFolders(const std::vector<std::string_view>& paths) {
  for (std::string& folder : git_folders(paths)) {
    lengths_.insert(folder.size());
    folders_.insert(std::move(folder));
  }
}

const std::string* GitFolders::above(std::string_view path) const {
  for (const size_t length : lengths_) {
    if (length >= path.size() || (length > 0 && path[length] != '/')) continue;
    const auto found = folders_.find(path.substr(0, length));
    if (found != folders_.end()) return &*found;
  }
  return nullptr;
}

std::vector<RootSpec> find_roots(const std::string& work_dir, std::vector<std::string>& notes) {
  std::vector<RootSpec> roots = {{work_dir, false}};
  const auto [git, common] = git_folder_of(work_dir);
  if (git.empty()) return roots;
  // The link file could name any folder, so one that is not a repository of this user is left out.
  const bool worktree = common != git;
  if (common.empty() || !is_own_git_folder(common) ||
      (worktree && !is_within(git, common + "/worktrees"))) {
    if (!is_within(git, work_dir)) {
      notes.push_back(base::printable(git) + ": no git directory of this user");
    }
    return roots;
  }
  if (!is_within(git, work_dir)) {
    // A repository further up that tracks nothing here, such as a whole home directory's, is not
    // this project's.
    const bool stranger = !worktree && name_of(git) == ".git" &&
                          is_within(work_dir, parent_of(git)) && !tracks(git, work_dir);
    roots.push_back({git, stranger});
  }
  if (worktree && !is_within(common, work_dir)) roots.push_back({common, true});
  return roots;
}

}  // namespace orch::repo
