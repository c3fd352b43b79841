#include "repo/undo_plan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "repo/git_places.h"

namespace orch::repo {
namespace {

constexpr size_t kMaxHeadBytes = 4096;
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

bool is_within_any(std::string_view path, const auto& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](std::string_view folder) { return is_within(path, folder); });
}

// Whether git would mistake a new file at this place in its directory for a part of its present
// state: an unfinished rebase, a lock, a hook. New objects, branches and tags are the run's work
// and stay.
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

// Whether the content that was kept for a path is still there; modes are not compared.
class Likeness {
 public:
  enum class Answer : uint8_t { kSame, kOther, kClosed };

  Likeness(store::FolderCache& folders, const KeptBytes& bytes)
      : folders_(folders), bytes_(bytes) {}

  // For files only.
  Answer content(const KeptEntry& kept, const Node& now) {
    const Node& then = kept.entry.node;
    if (now.size != then.size) return Answer::kOther;
    if (now.inode == then.inode && now.mtime_ns == then.mtime_ns && now.ctime_ns == then.ctime_ns) {
      return Answer::kSame;
    }
    const base::Fd& folder = folders_.open(parent_of(kept.entry.path));
    const std::string name(name_of(kept.entry.path));
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const base::Fd file(folder.valid() ? ::openat(folder.get(), name.c_str(), flags) : -1);
    if (!file.valid()) return errno == EACCES ? Answer::kClosed : Answer::kOther;
    const base::Result<bool> equal = bytes_.equals(kept, file);
    if (!equal) trouble_ = equal.error().text;
    return equal && *equal ? Answer::kSame : Answer::kOther;
  }

  // Why the content was not compared to its end, so that it counts as another one: the snapshot
  // cannot be read. "" if it was.
  const std::string& trouble() const { return trouble_; }

  bool is_same(const KeptEntry& kept, const TreeEntry& entry) {
    if (kept.entry.node.kind != entry.node.kind) return false;
    switch (entry.node.kind) {
      case EntryKind::kFile:
        return kept.kept != Kept::kLeftOut && content(kept, entry.node) == Answer::kSame;
      case EntryKind::kLink:
        return kept.entry.target == entry.target;
      case EntryKind::kFolder:
      case EntryKind::kPipe:
        return true;
      case EntryKind::kOther:
        break;
    }
    return false;
  }

 private:
  store::FolderCache& folders_;
  const KeptBytes& bytes_;
  std::string trouble_;
};

std::vector<std::string_view> paths_of(const KeptRoot& root) {
  std::vector<std::string_view> paths;
  paths.reserve(root.entries.size());
  for (const KeptEntry& kept : root.entries) paths.push_back(kept.entry.path);
  return paths;
}

std::string_view below_git(const std::string& git, std::string_view path) {
  return git.empty() ? path : path.substr(git.size() + 1);
}

// Finds the files that an undo has brought back and that are not in the state before it. To undo
// that undo, they are removed.
class BroughtBack {
 public:
  BroughtBack(const KeptRoot& root, const KeptBytes& bytes) : git_(paths_of(root)), bytes_(bytes) {
    for (const KeptEntry& kept : root.entries) kept_.emplace(kept.entry.path, &kept);
  }

  bool holds_folder(std::string_view path) const {
    const auto found = kept_.find(path);
    return found != kept_.end() && found->second->entry.node.kind == EntryKind::kFolder;
  }

  // Finds the entries of `present` that are not in `known` and are as they were brought back; a
  // folder only with all of its content, and a git directory only if nobody has worked in it.
  void find(const Tree& present, const std::unordered_map<std::string_view, EntryKind>& known,
            store::FolderCache& folders) {
    Likeness likeness(folders, bytes_);
    std::unordered_set<std::string_view> worked_on,
        stays(present.unread.begin(), present.unread.end());
    for (const TreeEntry& entry : present.entries) {
      if (known.contains(entry.path) || is_as_it_came(entry, likeness)) continue;
      stays.insert(entry.path);
      if (const std::string* git = git_.above(entry.path)) worked_on.insert(*git);
    }
    for (auto entry = present.entries.rbegin(); entry != present.entries.rend(); ++entry) {
      const std::string_view path = entry->path;
      if (known.contains(path)) continue;
      const std::string* git = git_.above(path);
      if (stays.contains(path) || (git != nullptr && worked_on.contains(*git))) {
        stays.insert(parent_of(path));
      } else {
        goes_.insert(path);
      }
    }
  }

  bool goes(std::string_view path) const { return goes_.contains(path); }

 private:
  // git's own state changes even when it is only looked at.
  bool is_as_it_came(const TreeEntry& entry, Likeness& likeness) const {
    const std::string* git = git_.above(entry.path);
    if (git != nullptr && is_git_state(below_git(*git, entry.path))) return true;
    const auto found = kept_.find(entry.path);
    return found != kept_.end() && likeness.is_same(*found->second, entry);
  }

  const GitFolders git_;
  const KeptBytes& bytes_;
  std::unordered_map<std::string_view, const KeptEntry*> kept_;
  std::unordered_set<std::string_view> goes_;
};

class Planner {
 public:
  Planner(const Manifest& manifest, const KeptBytes& bytes, const UndoScope& scope,
          const KnownPresent& known_present, size_t number)
      : root_(manifest.roots[number]),
        bytes_(bytes),
        scope_(scope),
        known_present_(known_present),
        number_(number),
        folders_(store::open_root(root_.spec.path)),
        root_errno_(folders_.root().valid() ? 0 : errno),
        careful_(root_.spec.shared && !scope.shared),
        git_(paths_of(root_)) {
    for (const KeptRoot& other : manifest.roots) {
      if (other.spec.path != root_.spec.path) skipped_.push_back(other.spec.path);
    }
    if (known_present.brought_back == nullptr) return;
    for (const KeptRoot& root : known_present.brought_back->roots) {
      if (root.spec.path == root_.spec.path) brought_back_.emplace(root, *known_present.its_bytes);
    }
  }

  base::Result<std::vector<Change>> plan() {
    for (const KeptEntry& kept : root_.entries) {
      known_.emplace(kept.entry.path, kept.entry.node.kind);
    }
    if (base::Status s = look_at_present(); !s) return s.error();
    look_at_root();
    if (is_closed_) {
      tell_hidden("", true);
      return std::move(changes_);
    }
    if (brought_back_) brought_back_->find(present_, known_, folders_);
    for (const KeptEntry& kept : root_.entries) find_head(kept);
    for (size_t i = 0; i < root_.entries.size(); ++i) look_at(i);
    for (const TreeEntry& entry : present_.entries) look_at_new(entry);
    return std::move(changes_);
  }

 private:
  base::Status look_at_present() {
    is_closed_ = folders_.root().valid()
                     ? ::faccessat(folders_.root().get(), ".", R_OK | X_OK, AT_EACCESS) != 0
                     : root_errno_ == EACCES;
    if (is_closed_) return base::Ok{};
    if (folders_.root().valid()) {
      base::Result<Tree> tree =
          list_tree(root_.spec.path,
                    {.skipped = skipped_,
                     .max_entries = kNoLimit,
                     .enters = [this](const std::string& path) { return is_looked_into(path); },
                     .forbidden = {}});
      if (!tree) return tree.error();
      present_ = std::move(tree).value();
    } else if (root_errno_ != ENOENT && root_errno_ != ENOTDIR && root_errno_ != ELOOP) {
      return base::system_error(root_.spec.path, root_errno_);
    }
    for (TreeEntry& entry : present_.entries) {
      entry.node.mode = mode_before(entry.path, entry.node.mode);
      by_path_.emplace(entry.path, &entry);
    }
    hidden_.insert(present_.unread.begin(), present_.unread.end());
    return base::Ok{};
  }

  // Of a new folder only its name matters. Otherwise somebody could make one too large to be
  // listed.
  bool is_looked_into(const std::string& path) const {
    const auto known = known_.find(path);
    if (known != known_.end()) return known->second == EntryKind::kFolder;
    if (brought_back_ && brought_back_->holds_folder(path)) return true;
    const std::string* git = git_.above(path);
    return git != nullptr && !is_git_state(below_git(*git, path));
  }

  mode_t mode_before(const std::string& path, mode_t now) const {
    if (known_present_.modes.empty()) return now;
    const auto found = known_present_.modes.find(joined(root_.spec.path, path));
    return found == known_present_.modes.end() ? now : found->second;
  }

  void look_at_root() {
    struct stat info {};
    if (::lstat(root_.spec.path.c_str(), &info) != 0) return add(Act::kRestore, "", "");
    const mode_t now = mode_before("", info.st_mode & 07777);
    if (!S_ISDIR(info.st_mode) || now == root_.mode) return;
    change_back("", mode_change(now, root_.mode), 0);
    mark_mode_only();
  }

  static std::string mode_change(mode_t now, mode_t then) {
    return fmt::format("mode {:04o}, was {:04o}", now, then);
  }
  void mark_mode_only() {
    if (!changes_.empty() && changes_.back().act == Act::kChangeBack) {
      changes_.back().mode_only = true;
    }
  }

  void add(Act act, const std::string& path, std::string why, size_t entry = 0) {
    if (is_in_scope(scope_, root_.spec, path)) {
      changes_.push_back({act, number_, path, std::move(why), entry, false, false});
    }
  }
  void change_back(const std::string& path, std::string why, size_t index) {
    if (careful_) return add(Act::kLeave, path, why + "; others use it, too: --shared");
    add(Act::kChangeBack, path, std::move(why), index);
  }

  void look_at(size_t index) {
    const KeptEntry& kept = root_.entries[index];
    const Node& then = kept.entry.node;
    const std::string& path = kept.entry.path;
    // If a folder cannot be looked into, the folder is reported instead of its content.
    if (hidden_.contains(std::string(parent_of(path)))) {
      if (then.kind == EntryKind::kFolder) hidden_.insert(path);
      return;
    }
    if (kept.kept != Kept::kLeftOut && hidden_.contains(path)) tell_hidden(path, is_shut(path));
    if (!is_in_scope(scope_, root_.spec, path)) return;
    const auto found = by_path_.find(path);
    // A lock of a git command that was running when the snapshot was taken is not brought back.
    if (is_git_lock(path)) return;
    const bool lacks = kept.kept == Kept::kLeftOut;
    if (then.kind == EntryKind::kFolder && lacks) look_at_lost_content(kept, found);
    if (found == by_path_.end()) {
      const bool gone = lacks && then.kind != EntryKind::kFolder;
      return add(gone ? Act::kCannot : Act::kRestore, path, gone ? "the snapshot lacks it" : "",
                 index);
    }
    const TreeEntry& entry = *found->second;
    const Node& now = entry.node;
    if (lacks && then.kind != EntryKind::kFolder) {
      if (now.size != then.size || now.mtime_ns != then.mtime_ns || now.kind != then.kind) {
        return add(Act::kCannot, path, "changed, and the snapshot lacks it");
      }
      if (may_be_another(then, now)) {
        add(Act::kCannot, path, "may have changed, and the snapshot lacks it");
      }
    }
    if (now.kind != then.kind) return change_back(path, "another kind of file", index);
    const bool owned = ::geteuid() != 0 || (now.uid == then.uid && now.gid == then.gid);
    if (then.kind == EntryKind::kLink) {
      if (entry.target != kept.entry.target) return change_back(path, "target", index);
      if (!owned) change_back(path, "owner", index);
      return;
    }
    if (then.kind == EntryKind::kFile && !lacks) {
      Likeness likeness(folders_, bytes_);
      const Likeness::Answer content = likeness.content(kept, now);
      if (content == Likeness::Answer::kClosed) {
        change_back(path, "closed to reading", index);
        // If the inode has changed, it may be a hard link to a file elsewhere, which is not ours to
        // open up.
        if (!careful_ && now.inode == then.inode) changes_.back().closed = true;
        return;
      }
      if (content == Likeness::Answer::kOther) {
        const std::string& trouble = likeness.trouble();
        return change_back(path, trouble.empty() ? "content" : "content; " + trouble, index);
      }
    }
    const bool replaceable = !lacks || then.kind == EntryKind::kFolder;
    if (now.mode != then.mode && (replaceable || now.inode == then.inode)) {
      change_back(path, mode_change(now.mode, then.mode), index);
      // If the inode has changed, it may be a hard link to a file elsewhere, whose mode is not ours
      // to set.
      if (then.kind == EntryKind::kFolder || (now.inode == then.inode && (owned || !replaceable))) {
        mark_mode_only();
      }
    } else if (!owned && replaceable) {
      change_back(path, "owner", index);
    }
  }

  // Reports a folder that cannot be looked into, if something in the scope may be in it. `shut`:
  // the undo opens it up and looks again. Otherwise something is mounted in its place, and its
  // content remains unknown.
  void tell_hidden(const std::string& path, bool shut) {
    if (!is_in_scope(scope_, root_.spec, path) && !leads_into_scope(scope_, root_.spec, path)) {
      return;
    }
    changes_.push_back({shut ? Act::kUnseen : Act::kCannot, number_, path,
                        "it cannot be looked into", 0, false, false});
  }
  bool is_shut(const std::string& path) {
    const base::Fd& parent = folders_.open(parent_of(path));
    const std::string name(name_of(path));
    return parent.valid() && ::faccessat(parent.get(), name.c_str(), R_OK | X_OK, AT_EACCESS) != 0;
  }

  // Whether a file that the snapshot lacks may be another one although its size and modification
  // time are the same. Anybody can set that time, but not the time of change (ctime); an undo that
  // sets a mode moves the latter on, however, so it proves nothing when an undo is undone.
  bool may_be_another(const Node& then, const Node& now) const {
    if (then.inode != 0 && now.inode != then.inode) return true;
    return known_present_.brought_back == nullptr && then.ctime_ns != 0 &&
           now.ctime_ns != then.ctime_ns;
  }

  // For a folder that could not be looked into when the snapshot was taken.
  void look_at_lost_content(const KeptEntry& kept, const auto& found) {
    const Node& then = kept.entry.node;
    const bool there = found != by_path_.end() && found->second->node.kind == EntryKind::kFolder;
    if (!there || found->second->node.mtime_ns != then.mtime_ns) {
      add(Act::kCannot, kept.entry.path, "what was in it, which the snapshot lacks");
    } else if (may_be_another(then, found->second->node)) {
      add(Act::kCannot, kept.entry.path,
          "what is in it may have changed, and the snapshot lacks that");
    }
  }

  void look_at_new(const TreeEntry& entry) {
    const std::string& path = entry.path;
    const bool is_known = known_.contains(path);
    if (is_git_lock(path) || (!is_known && name_of(path).starts_with(kTemporaryPrefix))) {
      return add(careful_ ? Act::kLeave : Act::kRemove, path, "left by an unfinished command");
    }
    if (is_known) return;
    const std::string parent(parent_of(path));
    // Of new folders only the outermost is reported, and no entry that is removed with its folder.
    if (new_folders_.contains(parent)) {
      if (entry.node.kind == EntryKind::kFolder) new_folders_.insert(path);
      return;
    }
    if (brought_back_ && brought_back_->goes(path) && !careful_ &&
        is_in_scope(scope_, root_.spec, path)) {
      if (entry.node.kind == EntryKind::kFolder) new_folders_.insert(path);
      return add(Act::kRemove, path, "the undo brought it back");
    }
    if (brought_back_ && hidden_.contains(path)) tell_hidden(path, is_shut(path));
    const auto above = known_.find(parent);
    const bool replaced = above != known_.end() && above->second != EntryKind::kFolder;
    const std::string* git = git_.above(path);
    const bool state =
        heads_.contains(path) || (git != nullptr && is_git_state(below_git(*git, path)));
    if (entry.node.kind == EntryKind::kFolder) {
      const bool holds_work = git != nullptr && !state;
      const bool came_back = brought_back_ && brought_back_->holds_folder(path);
      if ((!holds_work && !came_back) || replaced) new_folders_.insert(path);
    }
    if (replaced) return;
    if (state && !careful_) return add(Act::kRemove, path, "git's state, made since");
    add(Act::kLeave, path, "");
  }

  // The branch that HEAD names is git's state, even if it had no commit yet.
  void find_head(const KeptEntry& kept) {
    if (name_of(kept.entry.path) != "HEAD") return;
    const std::string folder(parent_of(kept.entry.path));
    if (!git_.contains(folder)) return;
    const std::string text = bytes_.beginning(kept, kMaxHeadBytes);
    if (!text.starts_with("ref:")) return;
    heads_.insert(joined(folder, base::trim(std::string_view(text).substr(4))));
  }

  bool is_git_lock(std::string_view path) const {
    return path.ends_with(".lock") && git_.contains(parent_of(path));
  }

  const KeptRoot& root_;
  const KeptBytes& bytes_;
  const UndoScope& scope_;
  const KnownPresent& known_present_;
  const size_t number_;
  store::FolderCache folders_;
  const int root_errno_;  // why the root could not be opened; 0: it could
  const bool careful_;
  const GitFolders git_;
  std::optional<BroughtBack> brought_back_;
  std::vector<std::string> skipped_;
  bool is_closed_ = false;  // we cannot look into the root
  Tree present_;
  std::unordered_map<std::string_view, const TreeEntry*> by_path_;
  std::unordered_map<std::string_view, EntryKind> known_;
  std::unordered_set<std::string> heads_, new_folders_;
  std::unordered_set<std::string> hidden_;  // folders that cannot be looked into
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
    case Act::kUnseen:
      return "unseen";
  }
  return "";
}

bool is_in_scope(const UndoScope& scope, const RootSpec& root, std::string_view path) {
  if (scope.only.empty()) return true;
  const std::string absolute = joined(root.path, path);
  return std::any_of(scope.only.begin(), scope.only.end(),
                     [&](const std::string& only) { return is_within(absolute, only); });
}

bool leads_into_scope(const UndoScope& scope, const RootSpec& root, std::string_view folder) {
  const std::string absolute = joined(root.path, folder);
  return std::any_of(scope.only.begin(), scope.only.end(),
                     [&](const std::string& only) { return is_within(only, absolute); });
}

base::Result<std::vector<Change>> plan_undo(const Manifest& manifest, const KeptBytes& bytes,
                                            const UndoScope& scope, const KnownPresent& known) {
  std::vector<Change> changes;
  for (size_t number = 0; number < manifest.roots.size(); ++number) {
    base::Result<std::vector<Change>> of_root =
        Planner(manifest, bytes, scope, known, number).plan();
    if (!of_root) return of_root.error();
    for (Change& change : *of_root) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace orch::repo
