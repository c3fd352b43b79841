#include "repo/undo.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <unordered_set>

#include "repo/snapshot.h"

namespace orch::repo {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

bool is_there(const base::Fd& folder, const std::string& name, struct stat& info) {
  return ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

// Makes a folder by its absolute path, with those above it, following no link, and opens it to us.
base::Status make_root(const std::string& path) {
  base::Fd at = open_root("/");
  std::string_view rest = path;
  while (at.valid()) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    const std::string name(rest.substr(0, slash));
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (!name.empty()) {
      struct stat info {};
      if (::mkdirat(at.get(), name.c_str(), 0700) != 0 && errno != EEXIST) break;
      const bool closed = is_there(at, name, info) && (info.st_mode & 0700) != 0700;
      if (rest.empty() && closed) set_mode(at, name, 0700 | (info.st_mode & 0777));
      at = open_below(at, name);
    }
    if (at.valid() && rest.empty()) return base::Ok{};
  }
  return base::system_error(path, errno);
}

// Brings one root back.
class Restorer {
 public:
  Restorer(const KeptRoot& root, const KeptBytes& bytes, const UndoScope& scope)
      : root_(root), bytes_(bytes), scope_(scope), folders_(open_root(root.spec.path)) {
    std::vector<std::string_view> paths;
    for (const KeptEntry& kept : root.entries) paths.push_back(kept.entry.path);
    for (std::string& folder : git_folders(paths)) git_.insert(std::move(folder));
  }

  // Folders that were closed to us are opened: only then their files can be compared.
  void open_up() {
    for (const KeptEntry& kept : root_.entries) {
      if (kept.entry.node.kind != Kind::kFolder) continue;
      if (!is_in_scope(scope_, root_.spec, kept.entry.path)) continue;
      const base::Fd& parent = folders_.open(parent_of(kept.entry.path));
      const std::string name(name_of(kept.entry.path));
      struct stat info {};
      if (!parent.valid() || !is_there(parent, name, info) || !S_ISDIR(info.st_mode)) continue;
      if ((info.st_mode & 0700) != 0700) set_mode(parent, name, 0700 | (info.st_mode & 0777));
    }
    folders_.forget();
  }

  base::Status apply(const Change& change) {
    const std::string name(name_of(change.path));
    if (change.act == Act::kRemove) {
      const base::Fd& parent = folders_.open(parent_of(change.path));
      if (!parent.valid()) return base::Ok{};  // it went with its folder
      return remove_tree(parent, name);
    }
    const KeptEntry& kept = root_.entries[change.entry];
    if (base::Status s = make_parents(change.path); !s) return s;
    const base::Fd& parent = folders_.open(parent_of(change.path));
    if (!parent.valid()) return base::system_error("open its folder", errno);
    if (change.mode_only) {
      // A folder's own mode comes last: it may be closed to ourselves.
      if (kept.entry.node.kind == Kind::kFolder) return base::Ok{};
      if (set_mode(parent, name, kept.entry.node.mode)) return base::Ok{};
      return base::system_error("chmod", errno);
    }
    switch (kept.entry.node.kind) {
      case Kind::kFolder:
        return make_folder(parent, name);
      case Kind::kFile:
        return replace(parent, name, [&](const std::string& temporary) {
          return write_file(parent, temporary, kept);
        });
      case Kind::kLink:
        return replace(parent, name, [&](const std::string& temporary) -> base::Status {
          const char* target = kept.entry.target.c_str();
          if (::symlinkat(target, parent.get(), temporary.c_str()) == 0) return base::Ok{};
          return base::system_error("symlink", errno);
        });
      case Kind::kPipe:
        return replace(parent, name, [&](const std::string& temporary) -> base::Status {
          if (::mkfifoat(parent.get(), temporary.c_str(), 0600) == 0 &&
              set_mode(parent, temporary, kept.entry.node.mode)) {
            return base::Ok{};
          }
          return base::system_error("mkfifo", errno);
        });
      case Kind::kOther:
        break;
    }
    return base::Ok{};
  }

  // Innermost first, since a mode may close a folder.
  void set_folder_modes(std::vector<std::string>& failures) {
    folders_.forget();
    for (auto kept = root_.entries.rbegin(); kept != root_.entries.rend(); ++kept) {
      const Node& node = kept->entry.node;
      if (node.kind != Kind::kFolder) continue;
      if (!is_in_scope(scope_, root_.spec, kept->entry.path) && !made_.contains(kept->entry.path)) {
        continue;
      }
      const base::Fd& parent = folders_.open(parent_of(kept->entry.path));
      const std::string name(name_of(kept->entry.path));
      struct stat info {};
      if (!parent.valid() || !is_there(parent, name, info) || !S_ISDIR(info.st_mode)) continue;
      if (root_.spec.shared && !scope_.shared && !made_.contains(kept->entry.path)) continue;
      own(parent, name, node, info);
      if ((info.st_mode & 07777) == node.mode || set_mode(parent, name, node.mode)) continue;
      failures.push_back(base::system_error(joined(root_.spec.path, kept->entry.path), errno).text);
    }
    struct stat info {};
    if (root_.spec.shared || ::fstat(folders_.root().get(), &info) != 0) return;
    if ((info.st_mode & 07777) == root_.mode || ::fchmod(folders_.root().get(), root_.mode) == 0) {
      return;
    }
    failures.push_back(base::system_error(root_.spec.path, errno).text);
  }

 private:
  base::Status make_folder(const base::Fd& parent, const std::string& name) {
    struct stat info {};
    if (is_there(parent, name, info)) {
      if (S_ISDIR(info.st_mode)) return base::Ok{};
      if (base::Status s = remove_tree(parent, name); !s) return s;
    }
    if (::mkdirat(parent.get(), name.c_str(), 0700) != 0) return base::system_error("mkdir", errno);
    folders_.forget();
    return base::Ok{};
  }

  // Folders above a path that the snapshot has, but the scope may leave out.
  base::Status make_parents(std::string_view path) {
    if (folders_.open(parent_of(path)).valid()) return base::Ok{};
    for (size_t slash = path.find('/'); slash != std::string_view::npos;
         slash = path.find('/', slash + 1)) {
      const std::string folder(path.substr(0, slash));
      const base::Fd parent = open_below(folders_.root(), parent_of(folder));
      if (!parent.valid()) return base::system_error(folder, errno);
      if (base::Status s = make_folder(parent, std::string(name_of(folder))); !s) return s;
      made_.insert(folder);
    }
    folders_.forget();
    return base::Ok{};
  }

  template <typename Make>
  base::Status replace(const base::Fd& parent, const std::string& name, Make make) {
    const std::string temporary = std::string(kTemporaryPrefix) + std::to_string(::getpid());
    if (base::Status s = remove_tree(parent, temporary); !s) return s;
    if (base::Status s = make(temporary); !s) {
      ::unlinkat(parent.get(), temporary.c_str(), 0);
      return s;
    }
    struct stat info {};
    if (is_there(parent, name, info) && S_ISDIR(info.st_mode)) {
      if (base::Status s = remove_tree(parent, name); !s) return s;
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
    if (::fchmod(file.get(), node.mode) != 0) return base::system_error("chmod", errno);
    // Git takes a file for unchanged by comparing its times with the index's; what is built from
    // a work file that was changed back must be built again.
    if (is_gits(kept.entry.path)) {
      const timespec time{node.mtime_ns / kNsPerSecond, node.mtime_ns % kNsPerSecond};
      const std::array<timespec, 2> times = {time, time};
      if (::futimens(file.get(), times.data()) != 0) return base::system_error("utimens", errno);
    }
    return base::Ok{};
  }

  static void own(const base::Fd& parent, const std::string& name, const Node& node,
                  const struct stat& info) {
    if (::geteuid() != 0 || (info.st_uid == node.uid && info.st_gid == node.gid)) return;
    // What remains different is found by the check at the end.
    (void)!::fchownat(parent.get(), name.c_str(), node.uid, node.gid, AT_SYMLINK_NOFOLLOW);
  }

  bool is_gits(std::string_view path) const {
    while (!path.empty()) {
      path = parent_of(path);
      if (git_.contains(std::string(path))) return true;
    }
    return false;
  }

  const KeptRoot& root_;
  const KeptBytes& bytes_;
  const UndoScope& scope_;
  FolderCache folders_;
  std::unordered_set<std::string> git_, made_;
};

bool changes_something(Act act) {
  return act == Act::kRestore || act == Act::kChangeBack || act == Act::kRemove;
}

}  // namespace

base::Result<UndoReport> undo(const UndoOrder& order) {
  base::Result<Manifest> manifest = read_manifest(order.snapshot);
  if (!manifest) return manifest.error();
  base::Result<KeptBytes> bytes = KeptBytes::open(order.snapshot, *manifest);
  if (!bytes) return bytes.error();
  std::vector<Restorer> restorers;
  restorers.reserve(manifest->roots.size());
  std::vector<RootSpec> roots;
  for (const KeptRoot& root : manifest->roots) {
    if (base::Status s = make_root(root.spec.path); !s) return s.error();
    restorers.emplace_back(root, *bytes, order.scope).open_up();
    roots.push_back(root.spec);
  }
  UndoReport report;
  base::Result<std::vector<Change>> changes = plan_undo(*manifest, *bytes, order.scope);
  if (!changes) return changes.error();
  const bool idle = std::none_of(changes->begin(), changes->end(), [](const Change& change) {
    return changes_something(change.act);
  });
  if (!idle && !order.keep_present_in.empty()) {
    base::Result<SnapshotReport> kept = take_snapshot({.work_dir = manifest->work_dir,
                                                       .folder = order.keep_present_in,
                                                       .previous = order.snapshot,
                                                       .limits = {},
                                                       .roots = roots});
    if (!kept) return kept.error();
    report.notes = std::move(kept->notes);
  }
  for (Change& change : *changes) {
    if (!changes_something(change.act)) continue;
    const std::string path = joined(roots[change.root].path, change.path);
    if (base::Status s = restorers[change.root].apply(change); !s) {
      report.failures.push_back(path + ": " + s.error().text);
    } else {
      report.done.push_back(std::move(change));
    }
  }
  for (Restorer& restorer : restorers) restorer.set_folder_modes(report.failures);
  // What an undo says it did is looked at again.
  base::Result<std::vector<Change>> left = plan_undo(*manifest, *bytes, order.scope);
  if (!left) return left.error();
  if (report.failures.empty()) {
    for (const Change& change : *left) {
      if (!changes_something(change.act)) continue;
      report.failures.push_back(joined(roots[change.root].path, change.path) + ": not as it was" +
                                (change.why.empty() ? "" : " (" + change.why + ")"));
    }
  }
  return report;
}

}  // namespace orch::repo
