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
#include "repo/git_index.h"
#include "repo/git_places.h"
#include "repo/likeness.h"
#include "repo/since_end.h"
#include "store/file_io.h"

namespace orch::repo {
namespace {

constexpr size_t kMaxHeadBytes = 4096;
constexpr size_t kMostIndexBytes = size_t{256} << 20;
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

constexpr const char* kUnfinished = "left by an unfinished command";

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
    if (known_present.ended != nullptr) {
      for (const KeptRoot& root : known_present.ended->roots) {
        if (root.spec.path != root_.spec.path) continue;
        ended_.emplace(root, *known_present.ended_bytes, folders_);
      }
    }
    if (known_present.brought_back == nullptr) return;
    for (const KeptRoot& root : known_present.brought_back->roots) {
      if (root.spec.path == root_.spec.path) brought_back_.emplace(root, *known_present.its_bytes);
    }
  }

  base::Result<std::vector<Change>> plan() {
    for (const KeptEntry& kept : root_.entries) {
      known_.emplace(kept.entry.path, kept.entry.node.kind);
      kept_.emplace(kept.entry.path, &kept);
    }
    if (base::Status s = look_at_present(); !s) return s.error();
    look_at_root();
    if (is_closed_) {
      tell_hidden("", true);
      return std::move(changes_);
    }
    if (brought_back_) brought_back_->find(present_, known_, folders_);
    for (const KeptEntry& kept : root_.entries) find_head(kept);
    if (ended_ || scope_.position == UndoScope::Position::kLeftIfMoved) find_moved();
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
    const bool is_in_place_of_file = known != known_.end() && known->second != EntryKind::kFolder;
    if (is_in_place_of_file || above_is_file(path)) return was_folder_at_end(path);
    if (known != known_.end()) return true;
    if (brought_back_ && brought_back_->holds_folder(path)) return true;
    const std::string* git = git_.above(path);
    return git != nullptr && !is_git_state(below_git(*git, path));
  }

  // Whether a folder above the path has taken the place of a file.
  bool above_is_file(std::string_view path) const {
    for (std::string_view at = parent_of(path); !at.empty(); at = parent_of(at)) {
      const auto known = known_.find(at);
      if (known != known_.end()) return known->second != EntryKind::kFolder;
    }
    return false;
  }
  bool was_folder_at_end(std::string_view path) const {
    const KeptEntry* then = ended_ ? ended_->find(path) : nullptr;
    return then != nullptr && then->entry.node.kind == EntryKind::kFolder;
  }

  // Finds the git directories of which somebody has moved the branches, index or logs since the
  // run's end, or, if that is not known, since the run's begin.
  void find_moved() {
    for (const std::string& git : git_.all()) {
      if (scope_.later && is_gone(git)) continue;  // it comes back whole
      const auto is_of = [&](std::string_view path) {
        const std::string* above = git_.above(path);
        return above != nullptr && *above == git;
      };
      const std::vector<KeptEntry>& then = ended_ ? ended_->root().entries : root_.entries;
      const bool moved =
          std::any_of(then.begin(), then.end(),
                      [&](const KeptEntry& kept) {
                        return is_of(kept.entry.path) && has_moved(git, kept.entry.path);
                      }) ||
          std::any_of(present_.entries.begin(), present_.entries.end(),
                      [&](const TreeEntry& entry) {
                        return is_of(entry.path) && has_moved(git, entry.path);
                      });
      if (moved) moved_.insert(git);
    }
  }

  bool has_moved(const std::string& git, const std::string& path) {
    const std::string_view below = below_git(git, path);
    const TreeEntry* now = present_at(path);
    const KeptEntry* begun = kept_at(path);
    if (is_folder(now) || is_folder(begun)) return false;
    if (!ended_) {
      // A branch that is gone holds no work, and one that the run has made stays in any case.
      return is_branch(below) && now != nullptr && begun != nullptr && !is_at(*begun, bytes_, *now);
    }
    const KeptEntry* ended = ended_->find(path);
    if (is_folder(ended) || !moves_on(below)) return false;
    if (!ended_->has_changed(path, now, is_opened(path))) return false;
    // An undo that was cut off has brought it back.
    if (now == nullptr) return begun != nullptr;
    if (begun != nullptr && is_at(*begun, bytes_, *now)) return false;
    return ended == nullptr || !is_at(*ended, ended_->bytes(), *now);
  }

  static bool is_folder(const TreeEntry* entry) {
    return entry != nullptr && entry->node.kind == EntryKind::kFolder;
  }
  static bool is_folder(const KeptEntry* kept) {
    return kept != nullptr && is_folder(&kept->entry);
  }

  static bool is_branch(std::string_view below) {
    return below == "HEAD" || below == "packed-refs" ||
           (is_within(below, "refs") && moves_on(below));
  }

  // Whether a file of git's is in a kept state; an index also if it only stages the same.
  bool is_at(const KeptEntry& then, const KeptBytes& bytes, const TreeEntry& now) {
    Likeness likeness(folders_, bytes);
    if (likeness.is_same(then, now)) return true;
    if (name_of(then.entry.path) != "index" || then.kept == Kept::kLeftOut) return false;
    const base::Fd& folder = folders_.open(parent_of(then.entry.path));
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const base::Fd file(folder.valid() ? ::openat(folder.get(), "index", flags) : -1);
    if (!file.valid()) return false;
    const base::Result<std::string> text =
        store::read_open_file(file, then.entry.path, kMostIndexBytes);
    return text && stage_the_same(bytes.beginning(then, kMostIndexBytes), *text);
  }

  const KeptEntry* kept_at(std::string_view path) const {
    const auto found = kept_.find(path);
    return found == kept_.end() ? nullptr : found->second;
  }
  const TreeEntry* present_at(std::string_view path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : found->second;
  }
  bool is_gone(const std::string& folder) const {
    return folder.empty() ? root_errno_ == ENOENT : present_at(folder) == nullptr;
  }
  bool is_opened(const std::string& path) const {
    return known_present_.modes.contains(joined(root_.spec.path, path));
  }

  // Why a path stays as it is although it differs from the snapshot; "" if it does not.
  std::string why_left(const std::string& path) const {
    if (const std::string* git = git_.above(path)) {
      const std::string_view below = below_git(*git, path);
      if (is_position(below)) {
        if (!moved_.contains(*git)) return {};
        return std::string(is_gone(*git) ? kRemovedSince : kGitMovedOn);
      }
    }
    if (!ended_ || scope_.later) return {};
    // A root alone would be an empty folder in the place of the one that was removed or moved.
    if (path.empty()) return std::string(is_gone("") ? kRemovedSince : "");
    std::string why = ended_->why_changed(path, present_at(path), is_opened(path));
    if (!why.empty()) return why;
    const TreeEntry* now = present_at(path);
    const auto known = known_.find(path);
    const bool holds_new = now != nullptr && now->node.kind == EntryKind::kFolder &&
                           (known == known_.end() || known->second != EntryKind::kFolder);
    return std::string(holds_new && has_later_content(path) ? kChangedSince : "");
  }

  // Whether somebody has worked, since the run's end, in a folder that would be removed.
  bool has_later_content(const std::string& folder) const {
    return std::any_of(
        present_.entries.begin(), present_.entries.end(), [&](const TreeEntry& entry) {
          return entry.path.size() > folder.size() && is_within(entry.path, folder) &&
                 ended_->has_changed(entry.path, &entry, is_opened(entry.path));
        });
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
    if (!is_in_scope(scope_, root_.spec, path)) return;
    if (std::string left = why_left(path); act != Act::kLeave && !left.empty()) {
      act = Act::kLeave;
      why = std::move(left);
    }
    changes_.push_back({act, number_, path, std::move(why), entry, false, false});
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
        const size_t before = changes_.size();
        change_back(path, "closed to reading", index);
        // If the inode has changed, it may be a hard link to a file elsewhere, which is not ours to
        // open up.
        const bool ours = !careful_ && now.inode == then.inode && changes_.size() > before;
        if (ours && changes_.back().act != Act::kLeave) changes_.back().closed = true;
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
    if (!is_known && name_of(path).starts_with(kTemporaryPrefix)) return remove_leftover(path);
    if (is_git_lock(path)) {
      return add(careful_ ? Act::kLeave : Act::kRemove, path, kUnfinished);
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

  // An undo that was cut off left it, after the run's end.
  void remove_leftover(const std::string& path) {
    if (!is_in_scope(scope_, root_.spec, path)) return;
    changes_.push_back(
        {careful_ ? Act::kLeave : Act::kRemove, number_, path, kUnfinished, 0, false, false});
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
  std::optional<SinceEnd> ended_;
  std::unordered_set<std::string> moved_;  // git directories
  std::vector<std::string> skipped_;
  bool is_closed_ = false;  // we cannot look into the root
  Tree present_;
  std::unordered_map<std::string_view, const TreeEntry*> by_path_;
  std::unordered_map<std::string_view, EntryKind> known_;
  std::unordered_map<std::string_view, const KeptEntry*> kept_;
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
