#include "repo/hidden_work.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "repo/git_places.h"
#include "repo/git_program.h"
#include "repo/tree.h"

namespace orch::repo {
namespace {

using base::Result;

// Something that may be in the way of removing a worktree: "" if it is not.
using Obstacle = Result<std::string>;

// A path whose changes git was asked to overlook.
struct Overlooked {
  std::string_view path;
  bool may_lack = false;  // "skip-worktree": a sparse checkout has no such file
};

// In the output of `git ls-files -v` a small letter marks "assume-unchanged", S or s
// "skip-worktree".
std::vector<Overlooked> overlooked_in(std::string_view listing) {
  constexpr size_t kMarkBytes = 2;  // "h "
  std::vector<Overlooked> found;
  for (const std::string_view line : base::split(listing, '\0')) {
    if (line.size() <= kMarkBytes) continue;
    const char mark = line.front();
    const bool skipped = mark == 'S' || mark == 's';
    if (!skipped && (mark < 'a' || mark > 'z')) continue;
    found.push_back({line.substr(kMarkBytes), skipped});
  }
  return found;
}

std::string complaint(const Overlooked& file) {
  return base::printable(file.path) + " has changes that git was asked to overlook (" +
         (file.may_lack ? "skip-worktree" : "assume-unchanged") + ")";
}

// "100644 OBJECT 0" of each path, sorted by path, as git lists them.
using Recorded = std::vector<std::pair<std::string_view, std::string_view>>;

Recorded recorded_in(std::string_view stages) {
  Recorded recorded;
  for (const std::string_view line : base::split(stages, '\0')) {
    const size_t tab = std::min(line.find('\t'), line.size());
    recorded.emplace_back(line.substr(std::min(tab + 1, line.size())), line.substr(0, tab));
  }
  return recorded;
}

std::vector<std::string_view> words_of(const Recorded& recorded, std::string_view path) {
  const auto found =
      std::lower_bound(recorded.begin(), recorded.end(), path,
                       [](const auto& one, std::string_view other) { return one.first < other; });
  if (found == recorded.end() || found->first != path) return {};
  return base::split_at_blanks(found->second);
}

Obstacle find_overlooked(const std::string& worktree) {
  const Result<std::string> marks = ask_git({{"ls-files", "-v", "-z"}, worktree, ""});
  if (!marks) return marks.error();
  const std::vector<Overlooked> overlooked = overlooked_in(*marks);
  if (overlooked.empty()) return std::string();
  const Result<std::string> stages = ask_git({{"ls-files", "--stage", "-z"}, worktree, ""});
  if (!stages) return stages.error();
  const Recorded recorded = recorded_in(*stages);
  std::vector<std::pair<const Overlooked*, std::string_view>> compared;  // with their objects
  std::string paths;
  for (const Overlooked& file : overlooked) {
    const std::string path = joined(worktree, file.path);
    struct stat info {};
    const bool lacks = ::lstat(path.c_str(), &info) != 0;
    if (lacks && file.may_lack) continue;
    const std::vector<std::string_view> words = words_of(recorded, file.path);
    const std::string_view mode = (info.st_mode & S_IXUSR) != 0 ? "100755" : "100644";
    // git hash-object reads a path from each line, and follows links.
    const bool is_comparable =
        !lacks && S_ISREG(info.st_mode) && path.find('\n') == std::string::npos;
    if (!is_comparable || words.size() < 2 || words[0] != mode) return complaint(file);
    compared.emplace_back(&file, words[1]);
    paths += path + "\n";
  }
  if (compared.empty()) return std::string();
  const Result<std::string> names = ask_git({{"hash-object", "--stdin-paths"}, worktree, paths});
  if (!names) return names.error();
  const std::vector<std::string_view> lines = base::split_lines(*names);
  for (size_t i = 0; i < compared.size(); ++i) {
    if (i >= lines.size() || lines[i] != compared[i].second) return complaint(*compared[i].first);
  }
  return std::string();
}

// Whether a clone in the worktree has work that only it has.
Result<bool> has_own_work(const std::string& clone) {
  const Result<std::string> status = ask_git({{"status", "--porcelain", "-z", "--no-renames",
                                               "--untracked-files=all", "--ignore-submodules=none"},
                                              clone,
                                              ""});
  if (!status) return status.error();
  if (!status->empty()) return true;
  const Obstacle overlooked = find_overlooked(clone);
  if (!overlooked || !overlooked->empty()) return true;
  // The bracket makes it a pattern; otherwise git would look for refs below refs/stash.
  const Result<std::string> own = ask_git(
      {{"rev-list", "-n", "1", "HEAD", "--branches", "--glob=refs/stas[h]", "--not", "--remotes"},
       clone,
       ""});
  if (!own) return own.error();
  return !own->empty();
}

// `path` leads to something that git would take for a repository.
Obstacle look_at_repository(const std::string& worktree, const TreeEntry& entry) {
  const std::string folder(parent_of(entry.path));
  const std::string shown = base::printable(folder);
  if (entry.node.kind != EntryKind::kFolder) return shown + " is a git worktree of its own";
  const Result<bool> own = has_own_work(joined(worktree, folder));
  // git may refuse a repository that is damaged or another user's, which says nothing about it.
  if (!own || *own) return shown + " is a git repository with work of its own";
  return std::string();
}

// Also looks into ignored folders.
Obstacle find_repositories(const std::string& worktree) {
  const Result<Tree> tree = list_tree(worktree, {.skipped = {},
                                                 .max_entries = std::numeric_limits<int64_t>::max(),
                                                 .enters = {},
                                                 .forbidden = {}});
  if (!tree) return tree.error();
  if (!tree->unread.empty()) {
    return base::printable(tree->unread.front()) + " cannot be looked into";
  }
  std::vector<std::string_view> paths;
  paths.reserve(tree->entries.size());
  for (const TreeEntry& entry : tree->entries) paths.push_back(entry.path);
  for (const std::string& git : git_folders(paths)) {
    if (name_of(git) != ".git") {
      return base::printable(git) + " is a git repository of its own";
    }
  }
  for (const TreeEntry& entry : tree->entries) {
    if (name_of(entry.path) != ".git" || entry.path == ".git") continue;
    Obstacle obstacle = look_at_repository(worktree, entry);
    if (!obstacle || !obstacle->empty()) return obstacle;
  }
  return std::string();
}

}  // namespace

Result<std::string> find_hidden_work(const std::string& worktree) {
  Obstacle overlooked = find_overlooked(worktree);
  if (!overlooked || !overlooked->empty()) return overlooked;
  return find_repositories(worktree);
}

}  // namespace orch::repo
