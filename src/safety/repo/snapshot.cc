#include "repo/snapshot.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "repo/archive.h"
#include "repo/file_class.h"
#include "repo/git_places.h"
#include "store/atomic_file.h"
#include "store/file_io.h"

namespace orch::repo {
namespace {

constexpr size_t kMaxArchives = 8;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string megabytes(int64_t bytes) {
  if (bytes < 1'000'000) return std::to_string((bytes + 999) / 1000) + " kB";
  return std::to_string((bytes + 500'000) / 1'000'000) + " MB";
}

// The identities of a folder and of all folders above it.
std::vector<FileIdentity> identities_up_from(const std::string& folder) {
  std::vector<FileIdentity> found;
  for (std::string_view at = folder; !at.empty(); at = parent_of(at)) {
    struct stat info {};
    if (::stat(std::string(at).c_str(), &info) == 0) found.push_back(identity_of(info));
  }
  return found;
}

// The path without links of a file that may not exist: its existing folders are resolved.
std::string without_links_so_far(const std::string& path) {
  std::string real = without_links("/", path);
  if (!real.empty() || path.empty()) return real;
  return joined(without_links_so_far(std::string(parent_of(path))), name_of(path));
}

base::Status check_place(const std::vector<RootSpec>& roots, const std::string& folder) {
  const std::vector<FileIdentity> above = identities_up_from(folder);
  for (const RootSpec& root : roots) {
    struct stat info {};
    const bool same = ::stat(root.path.c_str(), &info) == 0 &&
                      std::find(above.begin(), above.end(), identity_of(info)) != above.end();
    if (!same && !is_within(folder, root.path)) continue;
    return base::usage_error("a snapshot in " + folder + " would lie within " + root.path);
  }
  return base::Ok{};
}

// The content of an earlier snapshot of the same trees.
class Earlier {
 public:
  // If the earlier snapshot uses too many archives, everything is copied anew, because an archive
  // is kept as long as one file in it is unchanged. Entries without a checksum are also copied
  // anew.
  Earlier(const SnapshotPlan& plan, const std::vector<RootSpec>& roots)
      : folder_(plan.previous), settled_ns_(plan.settled_ns) {
    if (folder_.empty()) return;
    base::Result<Manifest> manifest = read_manifest(folder_);
    if (!manifest || manifest->archives.size() >= kMaxArchives) return;
    manifest_ = std::move(manifest).value();
    for (const KeptRoot& root : manifest_.roots) {
      if (std::find(roots.begin(), roots.end(), root.spec) == roots.end()) continue;
      auto& files = files_[root.spec.path];
      for (const KeptEntry& kept : root.entries) {
        if (kept.checksum) files.emplace(kept.entry.path, &kept);
      }
    }
  }

  // The entry of the same, unchanged file; otherwise nullptr.
  const KeptEntry* find(const std::string& root, const TreeEntry& entry) const {
    const auto files = files_.find(root);
    if (files == files_.end()) return nullptr;
    const auto found = files->second.find(entry.path);
    if (found == files->second.end()) return nullptr;
    const Node &then = found->second->entry.node, &now = entry.node;
    const bool same = then.inode == now.inode && then.size == now.size &&
                      then.mtime_ns == now.mtime_ns && then.ctime_ns == now.ctime_ns;
    return same && now.ctime_ns + settled_ns_ < manifest_.taken_ns ? found->second : nullptr;
  }

  const std::string& folder() const { return folder_; }
  const std::string& archive(uint32_t number) const { return manifest_.archives[number]; }

 private:
  std::string folder_;
  int64_t settled_ns_;
  Manifest manifest_;
  std::map<std::string, std::unordered_map<std::string_view, const KeptEntry*>> files_;
};

class Taker {
 public:
  Taker(const SnapshotPlan& plan, std::vector<RootSpec> roots, ArchiveWriter archive,
        std::string archive_name)
      : plan_(plan),
        roots_(std::move(roots)),
        earlier_(plan, roots_),
        archive_(std::move(archive)),
        above_(identities_up_from(plan.folder)) {
    manifest_.work_dir = plan.work_dir;
    manifest_.taken_ns = now_ns();
    manifest_.archives.push_back(std::move(archive_name));
  }

  base::Result<SnapshotReport> take() {
    for (const RootSpec& root : roots_) {
      if (base::Status s = take_root(root); !s) return s.error();
    }
    if (base::Status s = archive_.finish(); !s) return s.error();
    report_.written_bytes += archive_.size();
    const std::string text = to_text(manifest_);
    if (text.size() > kMaxManifestBytes) {
      return base::Error{base::ErrorCode::kSystem, "the list of all files is too long"};
    }
    report_.written_bytes += static_cast<int64_t>(text.size());
    if (base::Status s = store::write_file(plan_.folder + "/manifest", text); !s) return s.error();
    if (base::Status s = read_back(text); !s) return s.error();
    return std::move(report_);
  }

 private:
  // Checks at once that the snapshot can be read: an undo would find out too late.
  base::Status read_back(const std::string& text) const {
    const std::string path = plan_.folder + "/manifest";
    const base::Result<std::string> there = store::read_file(path, text.size());
    if (!there) return there.error();
    if (*there != text) {
      return base::Error{base::ErrorCode::kSystem, path + " is not as it was written"};
    }
    const base::Result<KeptBytes> bytes = KeptBytes::open(plan_.folder, manifest_);
    return bytes ? bytes->check_lengths(manifest_) : bytes.error();
  }

  base::Status take_root(const RootSpec& spec) {
    std::vector<std::string> skipped;
    for (const RootSpec& other : roots_) {
      if (other.path != spec.path) skipped.push_back(other.path);
    }
    base::Result<Tree> tree = list_tree(spec.path, {.skipped = std::move(skipped),
                                                    .max_entries = plan_.limits.entries,
                                                    .enters = {},
                                                    .forbidden = above_});
    if (!tree) return tree.error();
    for (const std::string& folder : tree->unread) {
      note(joined(spec.path, folder) +
           ": a folder that is closed, too deep or another file system");
    }
    FileClasses classes(spec.path, *tree);
    add_outer_index(spec, classes);
    find_needed(spec.path, *tree);
    if (base::Status s = check_room(*tree); !s) return s;
    choose(spec.path, *tree, classes);
    base::Fd top = store::open_root(spec.path);
    struct stat info {};
    if (!top.valid() || ::fstat(top.get(), &info) != 0) return base::system_error(spec.path, errno);
    store::FolderCache folders(std::move(top));
    KeptRoot root{spec, mode_of(spec.path, info.st_mode & 07777), info.st_ino, {}};
    const std::unordered_set<std::string> unread(tree->unread.begin(), tree->unread.end());
    root.entries.reserve(tree->entries.size());
    for (TreeEntry& entry : tree->entries) {
      KeptEntry kept{std::move(entry), Kept::kNowhere, 0, 0, {}};
      const std::string absolute = joined(spec.path, kept.entry.path);
      if (unread.contains(kept.entry.path)) kept.kept = Kept::kLeftOut;
      const bool is_lock = name_of(kept.entry.path) == "index.lock" &&
                           classes.of(kept.entry.path) == FileClass::kGit;
      if (is_lock && !needed_.contains(kept.entry.path)) {
        note(absolute + ": git is at work, or was cut off");
        kept.kept = Kept::kLeftOut;
      } else if (kept.entry.node.kind == EntryKind::kFile) {
        if (base::Status s = keep(spec.path, folders, kept); !s) return s;
      } else if (kept.entry.node.kind == EntryKind::kOther) {
        note(absolute + ": a socket or a device");
        kept.kept = Kept::kLeftOut;
      }
      kept.entry.node.mode = mode_of(absolute, kept.entry.node.mode);
      if (kept.kept == Kept::kLeftOut && needed_.contains(kept.entry.path)) {
        report_.missed.push_back(absolute);
      }
      root.entries.push_back(std::move(kept));
    }
    if (unlinked_bytes_ > 0) {
      note(joined(spec.path, "git's objects") + ": " + megabytes(unlinked_bytes_) +
           ", more than the limit, and they cannot be linked");
      unlinked_bytes_ = 0;
    }
    manifest_.roots.push_back(std::move(root));
    return base::Ok{};
  }

  mode_t mode_of(const std::string& absolute, mode_t now) const {
    const auto found = plan_.modes.find(absolute);
    return found == plan_.modes.end() ? now : found->second;
  }

  // Finds the entries that must be kept. Sockets and devices have no content to keep.
  void find_needed(const std::string& root, const Tree& tree) {
    needed_.clear();
    if (plan_.needed.empty()) return;
    const std::unordered_set<std::string> named(plan_.needed.begin(), plan_.needed.end());
    for (const TreeEntry& entry : tree.entries) {
      if (entry.node.kind == EntryKind::kOther) continue;
      if (named.contains(joined(root, entry.path)) ||
          needed_.contains(std::string(parent_of(entry.path)))) {
        needed_.insert(entry.path);
      }
    }
  }

  // What must be kept has no limit but the disk. Sizes count, and not the blocks of files with
  // holes, which take as long to read.
  base::Status check_room(const Tree& tree) {
    for (const TreeEntry& entry : tree.entries) {
      const bool counts = entry.node.kind == EntryKind::kFile && needed_.contains(entry.path);
      if (counts) needed_bytes_ += entry.node.size;
    }
    struct statvfs disk {};
    if (needed_bytes_ == 0 || ::statvfs(plan_.folder.c_str(), &disk) != 0) return base::Ok{};
    const auto room = static_cast<int64_t>(disk.f_bavail * disk.f_frsize);
    if (needed_bytes_ <= room) return base::Ok{};
    return base::Error{base::ErrorCode::kSystem, plan_.folder + ": " + megabytes(needed_bytes_) +
                                                     " are needed, and the disk " +
                                                     "has room for " + megabytes(room)};
  }

  // If the work directory's repository begins further up, or if it is a linked worktree, its index
  // is in another root.
  void add_outer_index(const RootSpec& spec, FileClasses& classes) const {
    if (spec.path != plan_.work_dir) return;
    for (const RootSpec& other : roots_) {
      if (other.path == spec.path || other.shared) continue;
      auto paths = tracked_paths(other.path);
      if (!paths) continue;
      const std::string top(parent_of(other.path));
      if (name_of(other.path) == ".git" && is_within(spec.path, top) && spec.path != top) {
        const std::string prefix = spec.path.substr(top.size() + 1) + "/";
        std::erase_if(*paths, [&](const std::string& path) { return !path.starts_with(prefix); });
        for (std::string& path : *paths) path.erase(0, prefix.size());
      }
      classes.add("", *paths);
    }
  }

  struct Unit {
    int64_t bytes = 0;
    std::vector<const TreeEntry*> files;
  };

  // Decides which files are left out and which objects are linked.
  void choose(const std::string& root, const Tree& tree, const FileClasses& classes) {
    left_out_.clear(), linked_.clear();
    close(root, tree);
    std::map<std::string, Unit> units;  // untracked files
    Unit git;
    int64_t objects = 0;
    for (const TreeEntry& entry : tree.entries) {
      if (entry.node.kind != EntryKind::kFile || needed_.contains(entry.path)) continue;
      if (left_out_.contains(entry.path)) continue;
      switch (classes.of(entry.path)) {
        case FileClass::kObject:
          if (plan_.objects == SnapshotPlan::Objects::kLeftOut) {
            left_out_.insert(entry.path);
            break;
          }
          objects += entry.node.size;
          if (objects > plan_.limits.copied_objects) {
            linked_.insert(entry.path);
            break;
          }
          [[fallthrough]];
        case FileClass::kGit:
        case FileClass::kTracked:
          git.files.push_back(&entry);
          break;
        case FileClass::kOther:
          if (entry.node.size > plan_.limits.file_bytes) {
            leave_out(joined(root, entry.path), entry.node.size, {&entry});
          } else {
            Unit& unit = units[classes.unit_of(entry.path)];
            unit.bytes += entry.node.size;
            unit.files.push_back(&entry);
          }
      }
    }
    std::sort(git.files.begin(), git.files.end(),
              [](const auto* a, const auto* b) { return a->node.size < b->node.size; });
    Unit beyond;
    for (const TreeEntry* file : git.files) {
      if (git_bytes_ + file->node.size <= plan_.limits.git_bytes) {
        git_bytes_ += file->node.size;
        continue;
      }
      beyond.files.push_back(file);
      beyond.bytes += file->node.size;
    }
    if (!beyond.files.empty())
      leave_out("git's own and tracked files in " + root, beyond.bytes, beyond.files);
    std::vector<std::pair<int64_t, std::string>> by_size;
    by_size.reserve(units.size());
    for (const auto& [path, unit] : units) by_size.emplace_back(unit.bytes, path);
    std::sort(by_size.begin(), by_size.end());
    for (const auto& [bytes, path] : by_size) {
      other_bytes_ += bytes;
      if (other_bytes_ <= plan_.limits.other_bytes) continue;
      leave_out(joined(root, path), bytes, units[path].files);
    }
  }

  void close(const std::string& root, const Tree& tree) {
    for (const std::string& closed : plan_.closed) {
      if (!is_within(closed, root) && !is_within(root, closed)) continue;
      bool any = false;
      for (const TreeEntry& entry : tree.entries) {
        if (entry.node.kind != EntryKind::kFile || needed_.contains(entry.path)) continue;
        if (!is_within(joined(root, entry.path), closed)) continue;
        left_out_.insert(entry.path);
        any = true;
      }
      if (any) note(closed + ": the agent may not read it");
    }
  }

  // `what` is a path, or says which files.
  void leave_out(const std::string& what, int64_t bytes,
                 const std::vector<const TreeEntry*>& files) {
    for (const TreeEntry* file : files) left_out_.insert(file->path);
    note(what + ": " + megabytes(bytes) + ", more than the limit");
  }

  base::Status keep(const std::string& root, store::FolderCache& folders, KeptEntry& kept) {
    const std::string& path = kept.entry.path;
    kept.kept = Kept::kLeftOut;
    if (left_out_.contains(path)) return base::Ok{};
    if (base::Status s = check_time(); !s) return s;
    const std::string name(name_of(path));
    const base::Fd& folder = folders.open(parent_of(path));
    if (linked_.contains(path) && link_object(folder, name, kept)) return count(kept);
    if (const KeptEntry* before = earlier_.find(root, kept.entry)) {
      if (share(*before, kept)) return count(kept);
    }
    if (linked_.contains(path)) {  // it was to be linked, but has to be copied
      if (git_bytes_ + kept.entry.node.size > plan_.limits.git_bytes) {
        unlinked_bytes_ += kept.entry.node.size;
        return base::Ok{};
      }
      git_bytes_ += kept.entry.node.size;
    }
    // Non-blocking, because a pipe may have replaced the file since it was listed.
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const base::Fd file(folder.valid() ? ::openat(folder.get(), name.c_str(), flags) : -1);
    struct stat info {};
    if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      note(base::system_error(joined(root, path), errno).text);
      return base::Ok{};
    }
    kept.entry.node = node_of(info);
    base::Result<ArchiveWriter::Appended> appended = archive_.append(file, info.st_size);
    if (!appended) return base::Error{appended.error().code, path + ": " + appended.error().text};
    if (::fstat(file.get(), &info) != 0 || node_of(info) != kept.entry.node) {
      note(joined(root, path) + ": changed while it was read");
    }
    kept.entry.node.size = appended->bytes;
    kept.kept = Kept::kArchived;
    kept.offset = appended->offset;
    kept.checksum = appended->checksum;
    return count(kept);
  }

  base::Status check_time() const {
    const int64_t most = plan_.limits.most_ms;
    const auto passed = std::chrono::steady_clock::now() - began_;
    if (most == 0 || passed < std::chrono::milliseconds(most)) return base::Ok{};
    return base::Error{
        base::ErrorCode::kSystem,
        "it took longer than " + std::to_string(most / 1'000) + " s, and the agent waits for it"};
  }

  base::Status count(const KeptEntry& kept) {
    ++report_.files;
    report_.bytes += kept.entry.node.size;
    return base::Ok{};
  }

  bool link_object(const base::Fd& folder, const std::string& name, KeptEntry& kept) {
    const std::string objects = plan_.folder + "/objects";
    if (objects_ == 0 && ::mkdir(objects.c_str(), 0700) != 0) return false;
    const std::string link = objects + "/" + std::to_string(objects_ + 1);
    if (!folder.valid() || ::linkat(folder.get(), name.c_str(), AT_FDCWD, link.c_str(), 0) != 0) {
      if (objects_ == 0) ::rmdir(objects.c_str());
      return false;  // another file system: the object is copied
    }
    struct stat info {};
    ++objects_;
    if (::lstat(link.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
    kept.entry.node = node_of(info);
    kept.kept = Kept::kLinked;
    kept.offset = objects_;
    return true;
  }

  // Returns false and leaves the entry unchanged if the earlier archive cannot be linked: it has
  // been removed, has too many links, or the file system has no hard links. Then the file is
  // copied.
  bool share(const KeptEntry& before, KeptEntry& kept) {
    const std::string& name = earlier_.archive(before.archive);
    const auto known = std::find(manifest_.archives.begin(), manifest_.archives.end(), name);
    const auto number = static_cast<uint32_t>(known - manifest_.archives.begin());
    if (known == manifest_.archives.end()) {
      const std::string from = earlier_.folder() + "/" + name, to = plan_.folder + "/" + name;
      if (::link(from.c_str(), to.c_str()) != 0) return false;
      manifest_.archives.push_back(name);
    }
    kept.kept = Kept::kArchived;
    kept.archive = number;
    kept.offset = before.offset;
    kept.checksum = before.checksum;
    return true;
  }

  void note(const std::string& text) { report_.notes.push_back(base::printable(text)); }

  const SnapshotPlan& plan_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const std::vector<RootSpec> roots_;
  const Earlier earlier_;
  ArchiveWriter archive_;
  Manifest manifest_;
  SnapshotReport report_;
  const std::vector<FileIdentity> above_;  // of the snapshot's folder and all folders above it
  // Paths, and bytes that could not be linked, of the root that is being read.
  std::unordered_set<std::string> left_out_, linked_, needed_;
  int64_t unlinked_bytes_ = 0;
  int64_t git_bytes_ = 0, other_bytes_ = 0, needed_bytes_ = 0, objects_ = 0;
};

// Removes roots that are not known to belong to the work directory, because its own files may name
// any repository.
void leave_strangers(const SnapshotPlan& plan, std::vector<RootSpec>& roots,
                     std::vector<std::string>& notes) {
  std::erase_if(roots, [&](const RootSpec& root) {
    const auto& known = *plan.git_folders;
    const bool stays = root.path == plan.work_dir ||
                       std::find(known.begin(), known.end(), root.path) != known.end();
    if (!stays) notes.push_back(base::printable(root.path) + ": not this directory's for certain");
    return !stays;
  });
}

}  // namespace

base::Result<SnapshotReport> take_snapshot(const SnapshotPlan& wanted) {
  SnapshotPlan plan = wanted;
  const std::string parent = without_links("/", parent_of(plan.folder));
  if (parent.empty()) return base::system_error(plan.folder, errno);
  plan.folder = joined(parent, name_of(plan.folder));
  std::vector<std::string> notes;
  std::vector<RootSpec> roots = plan.roots.empty() ? find_roots(plan.work_dir, notes) : plan.roots;
  if (plan.git_folders) leave_strangers(plan, roots, notes);
  if (base::Status s = check_place(roots, plan.folder); !s) return s.error();
  if (::mkdir(plan.folder.c_str(), 0700) != 0) return base::system_error(plan.folder, errno);
  const std::string name = "archive-" + std::to_string(now_ns());
  base::Result<ArchiveWriter> archive = ArchiveWriter::create(plan.folder + "/" + name);
  base::Result<SnapshotReport> report =
      archive.ok() ? base::Result<SnapshotReport>(SnapshotReport{}) : archive.error();
  if (archive) {
    report = Taker(plan, std::move(roots), std::move(archive).value(), name).take();
  }
  if (!report) {
    (void)remove_snapshot(plan.folder);  // the first failure is the one to report
    return report;
  }
  report->notes.insert(report->notes.end(), notes.begin(), notes.end());
  return report;
}

base::Status check_snapshot_place(const std::string& work_dir, const std::string& folder) {
  std::vector<std::string> notes;
  return check_place(find_roots(work_dir, notes), without_links_so_far(folder));
}

base::Status check_snapshot(const std::string& folder) {
  const base::Result<Manifest> manifest = read_manifest(folder);
  if (!manifest) return manifest.error();
  const base::Result<KeptBytes> bytes = KeptBytes::open(folder, *manifest);
  return bytes ? bytes->check_lengths(*manifest) : bytes.error();
}

base::Status remove_snapshot(const std::string& folder) {
  const std::string above(parent_of(folder));
  const base::Fd parent(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.valid()) return base::system_error(folder, errno);
  return store::remove_tree(parent, std::string(name_of(folder)));
}

}  // namespace orch::repo
