#include "repo/undo_plan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "repo/snapshot.h"

namespace orch::repo {
namespace {

constexpr size_t kMaxHeadBytes = 4096;
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

bool is_within_any(std::string_view path, const auto& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](std::string_view folder) { return is_within(path, folder); });
}

// Whether git would take a new file at this place, below its directory, for its present state: an
// unfinished rebase, a lock, a hook. New objects, branches and tags are the run's work and stay.
bool is_git_state(std::string_view path) {
  constexpr std::array<std::string_view, 6> kWork = {"objects",   "refs",    "logs",
                                                     "worktrees", "modules", "lfs"};
  constexpr std::array<std::string_view, 6> kState = {
      "objects/info/alternates", "refs/replace",     "refs/bisect",
      "refs/rewritten",          "logs/refs/bisect", "logs/refs/rewritten"};
  if (is_within_any(path, kState)) return true;
  if (path.starts_with("refs/") && path.ends_with(".lock")) return true;
  return !is_within_any(path, kWork);
}

class Planner {
 public:
  Planner(const Manifest& manifest, const KeptBytes& bytes, const UndoScope& scope, size_t number)
      : root_(manifest.roots[number]),
        bytes_(bytes),
        scope_(scope),
        number_(number),
        folders_(open_root(root_.spec.path)),
        careful_(root_.spec.shared && !scope.shared) {
    for (const KeptRoot& other : manifest.roots) {
      if (other.spec.path != root_.spec.path) skipped_.push_back(other.spec.path);
    }
  }

  base::Result<std::vector<Change>> plan() {
    if (folders_.root().valid()) {
      base::Result<Tree> tree = list_tree(root_.spec.path, skipped_, kNoLimit);
      if (!tree) return tree.error();
      present_ = std::move(tree).value();
    } else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP && errno != EACCES) {
      return base::system_error(root_.spec.path, errno);
    }
    for (const TreeEntry& entry : present_.entries) by_path_.emplace(entry.path, &entry);
    std::vector<std::string_view> paths;
    for (const KeptEntry& kept : root_.entries) {
      known_.emplace(kept.entry.path, kept.entry.node.kind);
      paths.push_back(kept.entry.path);
    }
    for (std::string& folder : git_folders(paths)) git_.insert(std::move(folder));
    for (const KeptEntry& kept : root_.entries) find_head(kept);
    for (size_t i = 0; i < root_.entries.size(); ++i) look_at(i);
    for (const TreeEntry& entry : present_.entries) look_at_new(entry);
    return std::move(changes_);
  }

 private:
  void add(Act act, const std::string& path, std::string why, size_t entry = 0) {
    if (is_in_scope(scope_, root_.spec, path)) {
      changes_.push_back({act, number_, path, std::move(why), entry, false});
    }
  }
  void change_back(size_t index, std::string why) {
    const std::string& path = root_.entries[index].entry.path;
    if (careful_) return add(Act::kLeave, path, why + "; others use it, too: --shared");
    add(Act::kChangeBack, path, std::move(why), index);
  }

  void look_at(size_t index) {
    const KeptEntry& kept = root_.entries[index];
    const Node& then = kept.entry.node;
    const std::string& path = kept.entry.path;
    if (!is_in_scope(scope_, root_.spec, path)) return;
    const auto found = by_path_.find(path);
    // A lock of a git command that ran while the snapshot was taken is not worth having.
    if (is_git_lock(path)) return;
    const bool gone = kept.kept == Kept::kLeftOut;
    if (found == by_path_.end()) {
      return add(gone ? Act::kCannot : Act::kRestore, path, gone ? "the snapshot lacks it" : "",
                 index);
    }
    const TreeEntry& entry = *found->second;
    const Node& now = entry.node;
    if (gone) {
      if (now.size != then.size || now.mtime_ns != then.mtime_ns || now.kind != then.kind) {
        add(Act::kCannot, path, "changed, and the snapshot lacks it");
      }
      return;
    }
    if (now.kind != then.kind) return change_back(index, "another kind of file");
    if (then.kind == Kind::kLink) {
      if (entry.target != kept.entry.target) change_back(index, "target");
      return;
    }
    if (then.kind == Kind::kFile && !same_content(kept, now)) return change_back(index, "content");
    if (now.mode != then.mode) {
      change_back(index, fmt::format("mode {:04o}, was {:04o}", now.mode, then.mode));
      // What is another inode may be a link to a file elsewhere, whose mode is not ours to set.
      const bool same = now.inode == then.inode || then.kind == Kind::kFolder;
      if (!changes_.empty() && changes_.back().act == Act::kChangeBack) {
        changes_.back().mode_only = same;
      }
    } else if (::geteuid() == 0 && (now.uid != then.uid || now.gid != then.gid)) {
      change_back(index, "owner");
    }
  }

  bool same_content(const KeptEntry& kept, const Node& now) {
    const Node& then = kept.entry.node;
    if (now.size != then.size) return false;
    if (now.inode == then.inode && now.mtime_ns == then.mtime_ns && now.ctime_ns == then.ctime_ns) {
      return true;
    }
    const base::Fd& folder = folders_.open(parent_of(kept.entry.path));
    const std::string name(name_of(kept.entry.path));
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const base::Fd file(folder.valid() ? ::openat(folder.get(), name.c_str(), flags) : -1);
    if (!file.valid()) return false;
    const base::Result<bool> equal = bytes_.equals(kept, file);
    return equal && *equal;  // what cannot be read is told when it is to be written
  }

  void look_at_new(const TreeEntry& entry) {
    const std::string& path = entry.path;
    if (is_git_lock(path) || name_of(path).starts_with(kTemporaryPrefix)) {
      return add(careful_ ? Act::kLeave : Act::kRemove, path, "left by an unfinished command");
    }
    if (known_.contains(path)) return;
    const std::string parent(parent_of(path));
    // Only the outermost of what is new is told, and nothing of what goes with its folder.
    if (new_folders_.contains(parent)) {
      if (entry.node.kind == Kind::kFolder) new_folders_.insert(path);
      return;
    }
    const auto above = known_.find(parent);
    const bool replaced = above != known_.end() && above->second != Kind::kFolder;
    const std::string* git = git_folder_of(path);
    const bool state =
        heads_.contains(path) ||
        (git != nullptr && is_git_state(git->empty() ? path : path.substr(git->size() + 1)));
    if (entry.node.kind == Kind::kFolder) {
      const bool holds_work = git != nullptr && !state;
      if (!holds_work || replaced) new_folders_.insert(path);
    }
    if (replaced) return;
    if (state && !careful_) return add(Act::kRemove, path, "git's state, made since");
    add(Act::kLeave, path, "");
  }

  // The branch that HEAD is on is git's state even where it had no commit yet.
  void find_head(const KeptEntry& kept) {
    if (name_of(kept.entry.path) != "HEAD") return;
    const std::string folder(parent_of(kept.entry.path));
    if (!git_.contains(folder)) return;
    const std::string text = bytes_.beginning(kept, kMaxHeadBytes);
    if (!text.starts_with("ref:")) return;
    heads_.insert(joined(folder, base::trim(std::string_view(text).substr(4))));
  }

  const std::string* git_folder_of(std::string_view path) const {
    while (!path.empty()) {
      path = parent_of(path);
      const auto found = git_.find(std::string(path));
      if (found != git_.end()) return &*found;
    }
    return nullptr;
  }

  bool is_git_lock(std::string_view path) const {
    return path.ends_with(".lock") && git_.contains(std::string(parent_of(path)));
  }

  const KeptRoot& root_;
  const KeptBytes& bytes_;
  const UndoScope& scope_;
  const size_t number_;
  FolderCache folders_;
  const bool careful_;
  std::vector<std::string> skipped_;
  Tree present_;
  std::unordered_map<std::string_view, const TreeEntry*> by_path_;
  std::unordered_map<std::string_view, Kind> known_;
  std::unordered_set<std::string> git_, heads_, new_folders_;
  std::vector<Change> changes_;
};

}  // namespace

std::string_view name(Act act) {
  switch (act) {
    case Act::kRestore:
      return "restore";
    case Act::kChangeBack:
      return "change back";
    case Act::kRemove:
      return "remove";
    case Act::kLeave:
      return "leave";
    case Act::kCannot:
      return "cannot";
  }
  return "";
}

bool is_in_scope(const UndoScope& scope, const RootSpec& root, std::string_view path) {
  if (scope.only.empty()) return true;
  const std::string absolute = joined(root.path, path);
  return std::any_of(scope.only.begin(), scope.only.end(),
                     [&](const std::string& only) { return is_within(absolute, only); });
}

base::Result<std::vector<Change>> plan_undo(const Manifest& manifest, const KeptBytes& bytes,
                                            const UndoScope& scope) {
  std::vector<Change> changes;
  for (size_t number = 0; number < manifest.roots.size(); ++number) {
    base::Result<std::vector<Change>> of_root = Planner(manifest, bytes, scope, number).plan();
    if (!of_root) return of_root.error();
    for (Change& change : *of_root) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace orch::repo
