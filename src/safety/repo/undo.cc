#include "repo/undo.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <unordered_set>

#include "base/text.h"
#include "repo/git_places.h"
#include "repo/openings.h"
#include "repo/snapshot.h"

namespace orch::repo {
namespace {

constexpr mode_t kOwnerReads = S_IRUSR;

bool is_there(const base::Fd& folder, const std::string& name, struct stat& info) {
  return ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

// Creates a folder by its absolute path, and those above it, following no link. True if it did not
// exist.
base::Result<bool> make_root(const std::string& path) {
  base::Fd at = store::open_root("/");
  bool made = false;
  std::string_view rest = path;
  while (at.valid()) {
    const std::string name(base::take_until(rest, '/'));
    if (!name.empty()) {
      made = ::mkdirat(at.get(), name.c_str(), 0700) == 0;
      if (!made && errno != EEXIST) break;
      at = store::open_below(at, name);
    }
    if (at.valid() && rest.empty()) return made;
  }
  return base::system_error(path, errno);
}

// Whether it is a folder that we cannot look into. This asks the system, because modes mean nothing
// to root.
bool is_closed(const base::Fd& parent, const std::string& name) {
  struct stat info {};
  return is_there(parent, name, info) && S_ISDIR(info.st_mode) &&
         ::faccessat(parent.get(), name.c_str(), R_OK | X_OK, AT_EACCESS) != 0 && errno == EACCES;
}

// Opens up a root that we cannot look into. Nothing happens if it does not exist; a link or a file
// in its place is an Error.
base::Status open_up_root(const std::string& path, Openings& openings) {
  const base::Fd parent = store::open_root(std::string(parent_of(path)));
  const std::string name(name_of(path));
  struct stat info {};
  // The parent may not be listed, but may still be passed through.
  if (!parent.valid() && errno == EACCES) return base::Ok{};
  if (!parent.valid() || !is_there(parent, name, info)) {
    return errno == ENOENT ? base::Status(base::Ok{}) : base::system_error(path, errno);
  }
  if (!S_ISDIR(info.st_mode)) {
    return base::system_error(path, S_ISLNK(info.st_mode) ? ELOOP : ENOTDIR);
  }
  return is_closed(parent, name) ? openings.open_up(parent, name, path, 0700)
                                 : base::Status(base::Ok{});
}

// Brings back one root.
class Restorer {
 public:
  Restorer(const KeptRoot& root, const KeptBytes& bytes, const UndoScope& scope, Openings& openings)
      : root_(root),
        bytes_(bytes),
        scope_(scope),
        openings_(openings),
        folders_(store::open_root(root.spec.path)),
        git_(paths_of(root)) {}

  bool has_root() const { return folders_.root().valid(); }

  base::Status make_root_folder() {
    if (has_root()) return base::Ok{};
    const base::Result<bool> made = make_root(root_.spec.path);
    if (!made) return made.error();
    if (*made) openings_.settle(root_.spec.path, root_.mode);
    folders_ = store::FolderCache(store::open_root(root_.spec.path));
    return has_root() ? base::Status(base::Ok{}) : base::system_error(root_.spec.path, errno);
  }

  // Opens up folders that we cannot look into, so that their content can be compared. One that
  // cannot be opened up is reported by the plan. One that the snapshot could not look into either
  // is left alone.
  void open_up() {
    for (const KeptEntry& kept : root_.entries) {
      if (kept.kept != Kept::kLeftOut) open_up_folder(kept);
    }
  }
  // The same for folders that an undo has brought back and that may be removed again.
  void open_up(const Manifest& brought_back) {
    std::unordered_set<std::string_view> known;
    for (const KeptEntry& kept : root_.entries) known.insert(kept.entry.path);
    for (const KeptRoot& root : brought_back.roots) {
      if (root.spec.path != root_.spec.path) continue;
      for (const KeptEntry& kept : root.entries) {
        if (!known.contains(kept.entry.path)) open_up_folder(kept);
      }
    }
  }

  // Opens up everything in a path that is to be removed, so that it can be kept first.
  void open_up_all(const std::string& path) {
    std::vector<std::string> waiting = {path};
    while (!waiting.empty()) {
      const std::string at = std::move(waiting.back());
      waiting.pop_back();
      const base::Fd& parent = folders_.open(parent_of(at));
      const std::string name(name_of(at));
      struct stat info {};
      if (!parent.valid() || !is_there(parent, name, info)) continue;
      // The mode belongs to all hard links of a file, and others of them may be elsewhere.
      const bool is_only_name = S_ISREG(info.st_mode) && info.st_nlink == 1;
      if (is_only_name && ::faccessat(parent.get(), name.c_str(), R_OK, AT_EACCESS) != 0) {
        open_up_file(at);
      }
      if (!S_ISDIR(info.st_mode)) continue;
      if (is_closed(parent, name)) (void)openings_.open_up(parent, name, absolute(at), 0700);
      const base::Fd& folder = folders_.open(at);
      if (!folder.valid()) continue;
      const base::Result<std::vector<std::string>> names = store::names_in(folder);
      if (!names) continue;
      for (const std::string& inner : *names) waiting.push_back(joined(at, inner));
    }
    folders_.forget();
  }

  void open_up_file(const std::string& path) {
    const base::Fd& parent = folders_.open(parent_of(path));
    const std::string name(name_of(path));
    if (parent.valid()) (void)openings_.open_up(parent, name, absolute(path), kOwnerReads);
  }

  base::Status apply(const Change& change) {
    const std::string name(name_of(change.path));
    if (change.path.empty()) {  // the root, which exists by now
      openings_.settle(root_.spec.path, root_.mode);
      return base::Ok{};
    }
    if (change.act == Act::kRemove) {
      const base::Fd& parent = folders_.open(parent_of(change.path));
      if (!parent.valid()) return base::Ok{};  // it was removed with its folder
      if (base::Status s = make_writable(parent, change.path); !s) return s;
      base::Status removed = store::remove_tree(parent, name);
      folders_.forget();
      return removed;
    }
    const KeptEntry& kept = root_.entries[change.entry];
    if (base::Status s = make_parents(change.path); !s) return s;
    const base::Fd& parent = folders_.open(parent_of(change.path));
    if (!parent.valid()) return base::system_error("open its folder", errno);
    if (change.mode_only) return give_mode(parent, name, kept);
    if (base::Status s = make_writable(parent, change.path); !s) return s;
    switch (kept.entry.node.kind) {
      case EntryKind::kFolder:
        if (base::Status s = make_folder(parent, name); !s) return s;
        return settle_folder(parent, name, kept);
      case EntryKind::kFile:
        if (base::Status s = replace(
                parent, name,
                [&](const std::string& temporary) { return write_file(parent, temporary, kept); });
            !s) {
          return s;
        }
        settle_file(kept);
        return base::Ok{};
      case EntryKind::kLink:
        return replace(parent, name, [&](const std::string& temporary) -> base::Status {
          const char* target = kept.entry.target.c_str();
          if (::symlinkat(target, parent.get(), temporary.c_str()) != 0) {
            return base::system_error("symlink", errno);
          }
          own(parent, temporary, kept.entry.node);
          return base::Ok{};
        });
      case EntryKind::kPipe:
        return replace(parent, name, [&](const std::string& temporary) -> base::Status {
          if (::mkfifoat(parent.get(), temporary.c_str(), 0600) != 0) {
            return base::system_error("mkfifo", errno);
          }
          own(parent, temporary, kept.entry.node);
          if (store::set_mode(parent, temporary, kept.entry.node.mode)) return base::Ok{};
          return base::system_error("chmod", errno);
        });
      case EntryKind::kOther:
        break;
    }
    return base::Ok{};
  }

 private:
  std::string absolute(std::string_view path) const { return joined(root_.spec.path, path); }

  void open_up_folder(const KeptEntry& kept) {
    const std::string& path = kept.entry.path;
    if (!has_root() || kept.entry.node.kind != EntryKind::kFolder) return;
    if (!is_in_scope(scope_, root_.spec, path) && !leads_into_scope(scope_, root_.spec, path)) {
      return;
    }
    const base::Fd& parent = folders_.open(parent_of(path));
    const std::string name(name_of(path));
    if (!parent.valid() || !is_closed(parent, name)) return;
    (void)openings_.open_up(parent, name, absolute(path), 0700);
  }

  base::Status make_writable(const base::Fd& parent, std::string_view path) {
    return openings_.make_writable(parent, absolute(parent_of(path)));
  }

  base::Status give_mode(const base::Fd& parent, const std::string& name, const KeptEntry& kept) {
    if (kept.entry.node.kind == EntryKind::kFolder) return settle_folder(parent, name, kept);
    const mode_t reads = kept.entry.node.kind == EntryKind::kFile ? kOwnerReads : 0;
    if (!store::set_mode(parent, name, kept.entry.node.mode | reads)) {
      return base::system_error("chmod", errno);
    }
    settle_file(kept);
    return base::Ok{};
  }

  // A file that its owner may not read gets its mode last, because its content is compared before.
  static bool has_readable_mode(const KeptEntry& kept) {
    return (kept.entry.node.mode & kOwnerReads) != 0;
  }
  void settle_file(const KeptEntry& kept) {
    openings_.forget(absolute(kept.entry.path));
    if (!has_readable_mode(kept)) {
      openings_.settle(absolute(kept.entry.path), kept.entry.node.mode);
    }
  }

  // A folder that its owner may not enter gets its mode last.
  base::Status settle_folder(const base::Fd& parent, const std::string& name,
                             const KeptEntry& kept) {
    const mode_t mode = kept.entry.node.mode;
    own(parent, name, kept.entry.node);
    if ((mode & 0700) != 0700) {
      openings_.settle(absolute(kept.entry.path), mode);
      return base::Ok{};
    }
    if (!store::set_mode(parent, name, mode)) return base::system_error("chmod", errno);
    openings_.forget(absolute(kept.entry.path));
    return base::Ok{};
  }

  base::Status make_folder(const base::Fd& parent, const std::string& name) {
    struct stat info {};
    if (is_there(parent, name, info)) {
      if (S_ISDIR(info.st_mode)) return base::Ok{};
      if (base::Status s = store::remove_tree(parent, name); !s) return s;
    }
    if (::mkdirat(parent.get(), name.c_str(), 0700) == 0) return base::Ok{};
    return base::system_error("mkdir", errno);
  }

  // Creates folders above a path that are in the snapshot but may be out of scope.
  base::Status make_parents(std::string_view path) {
    if (folders_.open(parent_of(path)).valid()) return base::Ok{};
    if (errno == EACCES) return base::system_error("open its folder", errno);
    for (size_t slash = path.find('/'); slash != std::string_view::npos;
         slash = path.find('/', slash + 1)) {
      const std::string folder(path.substr(0, slash));
      const base::Fd parent = store::open_below(folders_.root(), parent_of(folder));
      if (!parent.valid()) return base::system_error(folder, errno);
      const std::string name(name_of(folder));
      struct stat info {};
      if (is_there(parent, name, info) && S_ISDIR(info.st_mode)) continue;
      if (base::Status s = make_writable(parent, folder); !s) return s;
      if (base::Status s = make_folder(parent, name); !s) return s;
      if (const KeptEntry* kept = kept_folder(folder)) {
        if (base::Status s = settle_folder(parent, name, *kept); !s) return s;
      }
    }
    folders_.forget();
    return base::Ok{};
  }

  const KeptEntry* kept_folder(std::string_view path) const {
    const auto found =
        std::find_if(root_.entries.begin(), root_.entries.end(), [path](const KeptEntry& kept) {
          return kept.entry.path == path && kept.entry.node.kind == EntryKind::kFolder;
        });
    return found == root_.entries.end() ? nullptr : &*found;
  }

  template <typename Make>
  base::Status replace(const base::Fd& parent, const std::string& name, Make make) {
    const std::string temporary = std::string(kTemporaryPrefix) + std::to_string(::getpid());
    if (base::Status s = store::remove_tree(parent, temporary); !s) return s;
    if (base::Status s = make(temporary); !s) {
      ::unlinkat(parent.get(), temporary.c_str(), 0);
      return s;
    }
    struct stat info {};
    if (is_there(parent, name, info) && S_ISDIR(info.st_mode)) {
      if (base::Status s = store::remove_tree(parent, name); !s) return s;
    }
    if (::renameat(parent.get(), temporary.c_str(), parent.get(), name.c_str()) == 0) {
      return base::Ok{};
    }
    const base::Error failure = base::system_error("rename", errno);
    ::unlinkat(parent.get(), temporary.c_str(), 0);
    return failure;
  }

  base::Status write_file(const base::Fd& parent, const std::string& temporary,
                          const KeptEntry& kept) {
    const Node& node = kept.entry.node;
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const base::Fd file(::openat(parent.get(), temporary.c_str(), flags, 0600));
    if (!file.valid()) return base::system_error("create", errno);
    if (base::Status s = bytes_.write_to(kept, file); !s) return s;
    if (::geteuid() == 0 && ::fchown(file.get(), node.uid, node.gid) != 0) {
      return base::system_error("chown", errno);
    }
    if (::fchmod(file.get(), node.mode | kOwnerReads) != 0) {
      return base::system_error("chmod", errno);
    }
    // git considers a file unchanged if its times are those in the index, so its own files get
    // their old times. Work files do not: anything built from a file that was changed back has to
    // be built again.
    if (is_gits(kept.entry.path)) {
      const timespec time{node.mtime_ns / kNsPerSecond, node.mtime_ns % kNsPerSecond};
      const std::array<timespec, 2> times = {time, time};
      if (::futimens(file.get(), times.data()) != 0) return base::system_error("utimens", errno);
    }
    return base::Ok{};
  }

  static void own(const base::Fd& parent, const std::string& name, const Node& node) {
    struct stat info {};
    if (::geteuid() != 0 || !is_there(parent, name, info)) return;
    if (info.st_uid == node.uid && info.st_gid == node.gid) return;
    // If this fails, the check at the end finds the difference.
    (void)!::fchownat(parent.get(), name.c_str(), node.uid, node.gid, AT_SYMLINK_NOFOLLOW);
  }

  bool is_gits(std::string_view path) const { return git_.above(path) != nullptr; }

  static std::vector<std::string_view> paths_of(const KeptRoot& root) {
    std::vector<std::string_view> paths;
    paths.reserve(root.entries.size());
    for (const KeptEntry& kept : root.entries) paths.push_back(kept.entry.path);
    return paths;
  }

  const KeptRoot& root_;
  const KeptBytes& bytes_;
  const UndoScope& scope_;
  Openings& openings_;
  store::FolderCache folders_;
  const GitFolders git_;
};

bool changes_something(Act act) {
  return act == Act::kRestore || act == Act::kChangeBack || act == Act::kRemove;
}

// One undo, step by step: it plans, keeps the present state, changes it, and compares again.
class Undo {
 public:
  Undo(const UndoOrder& order, const Manifest& manifest, const KeptBytes& bytes, Openings openings)
      : order_(order), manifest_(manifest), bytes_(bytes), openings_(std::move(openings)) {}

  // Passes on the snapshot that was brought back last. The plan needs it.
  void set_brought_back(const Manifest& manifest, const KeptBytes& bytes) {
    known_.brought_back = &manifest;
    known_.its_bytes = &bytes;
  }

  // Passes on the snapshot of the run's end.
  void set_ended(const Manifest& manifest, const KeptBytes& bytes) {
    known_.ended = &manifest;
    known_.ended_bytes = &bytes;
  }

  base::Result<UndoReport> carry_out() {
    if (base::Status s = open_up(); !s) return s.error();
    if (base::Status s = plan(); !s) return s.error();
    if (is_idle()) return finish();
    if (base::Status s = make_roots(); !s) return s.error();
    if (base::Status s = keep_present(); !s) return s.error();
    for (Change& change : changes_) {
      if (!changes_something(change.act)) continue;
      if (base::Status s = restorers_[change.root].apply(change); !s) {
        report_.failures.push_back(path_of(change) + ": " + s.error().text);
      } else {
        report_.done.push_back(std::move(change));
      }
    }
    return finish();
  }

 private:
  std::string path_of(const Change& change) const {
    return joined(manifest_.roots[change.root].spec.path, change.path);
  }

  bool is_idle() const {
    return std::none_of(changes_.begin(), changes_.end(),
                        [](const Change& change) { return changes_something(change.act); });
  }

  base::Status open_up() {
    restorers_.reserve(manifest_.roots.size());
    for (const KeptRoot& root : manifest_.roots) {
      if (base::Status s = open_up_root(root.spec.path, openings_); !s) return s;
      Restorer& restorer = restorers_.emplace_back(root, bytes_, order_.scope, openings_);
      restorer.open_up();
      if (known_.brought_back != nullptr) restorer.open_up(*known_.brought_back);
    }
    return base::Ok{};
  }

  base::Status look() {
    known_.modes = openings_.modes_before();
    base::Result<std::vector<Change>> found = plan_undo(manifest_, bytes_, order_.scope, known_);
    if (!found) return found.error();
    changes_ = std::move(found).value();
    return base::Ok{};
  }

  // Opens up files that we may not read, and plans once more.
  base::Status plan() {
    if (base::Status s = look(); !s) return s;
    bool any = false;
    for (const Change& change : changes_) {
      if (change.closed) restorers_[change.root].open_up_file(change.path);
      any = any || change.closed;
    }
    return any ? look() : base::Status(base::Ok{});
  }

  base::Status make_roots() {
    for (const Change& change : changes_) {
      if (!changes_something(change.act)) continue;
      if (base::Status s = restorers_[change.root].make_root_folder(); !s) return s;
    }
    return base::Ok{};
  }

  base::Status keep_present() {
    if (order_.keep_present_in.empty()) return base::Ok{};
    constexpr const char* kRemedy = "; nothing was changed: --no-redo does it without";
    SnapshotPlan plan{.work_dir = manifest_.work_dir,
                      .folder = order_.keep_present_in,
                      .previous = order_.snapshot,
                      .limits = {},
                      .objects = SnapshotPlan::Objects::kKept,
                      .settled_ns = kSettledNs,
                      .roots = {},
                      .git_folders = {},
                      .closed = order_.closed,
                      .needed = {},
                      .modes = {}};
    for (size_t i = 0; i < restorers_.size(); ++i) {
      if (restorers_[i].has_root()) plan.roots.push_back(manifest_.roots[i].spec);
    }
    for (const Change& change : changes_) {
      if (!changes_something(change.act) || change.mode_only || change.path.empty()) continue;
      if (change.act != Act::kRestore) restorers_[change.root].open_up_all(change.path);
      plan.needed.push_back(path_of(change));
    }
    plan.modes = openings_.modes_before();
    base::Result<SnapshotReport> kept = take_snapshot(plan);
    if (!kept) {
      return base::Error{kept.error().code, "the present files cannot be kept for --redo: " +
                                                kept.error().text + kRemedy};
    }
    if (!kept->missed.empty()) {
      (void)remove_snapshot(plan.folder);  // the first failure is the one to report
      return base::Error{base::ErrorCode::kSystem,
                         std::to_string(kept->missed.size()) +
                             " files cannot be kept for --redo, the first of them " +
                             kept->missed.front() + kRemedy};
    }
    report_.notes = std::move(kept->notes);
    return base::Ok{};
  }

  // Compares again to check the result of the undo, before opened files and folders are closed.
  base::Result<UndoReport> finish() {
    known_.modes = openings_.modes_after();
    base::Result<std::vector<Change>> left = plan_undo(manifest_, bytes_, order_.scope, known_);
    if (!left) return left.error();
    const bool told = !report_.failures.empty();
    for (Change& change : *left) {
      if (change.act == Act::kUnseen) change.act = Act::kCannot;  // it could not be opened up
      if (change.act == Act::kCannot) report_.lacking.push_back(change);
      if (!changes_something(change.act) || told) continue;
      report_.failures.push_back(path_of(change) + ": not as it was" +
                                 (change.why.empty() ? "" : " (" + change.why + ")"));
    }
    for (std::string& failure : openings_.close()) report_.failures.push_back(std::move(failure));
    return std::move(report_);
  }

  const UndoOrder& order_;
  const Manifest& manifest_;
  const KeptBytes& bytes_;
  Openings openings_;
  KnownPresent known_;
  std::vector<Restorer> restorers_;
  std::vector<Change> changes_;
  UndoReport report_;
};

}  // namespace

base::Result<UndoReport> undo(const UndoOrder& order) {
  base::Result<Manifest> manifest = read_manifest(order.snapshot);
  if (!manifest) return manifest.error();
  base::Result<KeptBytes> bytes = KeptBytes::open(order.snapshot, *manifest);
  if (!bytes) return bytes.error();
  base::Result<Openings> openings = Openings::begin(order.journal);
  if (!openings) return openings.error();
  Undo undo(order, *manifest, *bytes, std::move(openings).value());
  std::optional<OpenedSnapshot> ended;
  if (!order.ended.empty()) {
    base::Result<OpenedSnapshot> opened = open_snapshot(order.ended);
    if (!opened) return opened.error();
    ended = std::move(opened).value();
    undo.set_ended(ended->manifest, ended->bytes);
  }
  if (order.brought_back.empty()) return undo.carry_out();
  base::Result<Manifest> brought_back = read_manifest(order.brought_back);
  if (!brought_back) return brought_back.error();
  base::Result<KeptBytes> its_bytes = KeptBytes::open(order.brought_back, *brought_back);
  if (!its_bytes) return its_bytes.error();
  undo.set_brought_back(*brought_back, *its_bytes);
  return undo.carry_out();
}

}  // namespace orch::repo
