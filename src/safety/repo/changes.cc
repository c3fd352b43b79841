#include "repo/changes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text.h"
#include "repo/archive.h"
#include "repo/git_head.h"
#include "repo/git_index.h"
#include "repo/git_places.h"
#include "repo/git_program.h"
#include "repo/manifest.h"
#include "repo/tree.h"
#include "store/atomic_file.h"
#include "store/folder_at.h"
#include "store/temporary_folder.h"

namespace orch::repo {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostEntries = 1'000'000;
constexpr size_t kMostPaths = 20;  // named in the result
constexpr size_t kMostRules = 1 << 20;
constexpr mode_t kExecutable = 0100;  // the only permission that git records

bool has_content(const Node& node) {
  return node.kind == EntryKind::kFile || node.kind == EntryKind::kLink;
}

bool is_of_git(std::string_view path) {
  for (; !path.empty(); path = parent_of(path)) {
    if (name_of(path) == ".git") return true;
  }
  return false;
}

class Comparison {
 public:
  Comparison(const KeptRoot& then, const KeptBytes& bytes)
      : then_(then), bytes_(bytes), folders_(store::open_root(then.spec.path)) {}

  // The changed paths below the root, sorted.
  base::Result<std::vector<std::string>> run(const std::vector<std::string>& skipped) {
    base::Result<Tree> tree =
        list_tree(then_.spec.path,
                  {.skipped = skipped, .max_entries = kMostEntries, .enters = {}, .forbidden = {}});
    if (!tree) return tree.error();
    std::unordered_map<std::string_view, const TreeEntry*> now;
    for (const TreeEntry& entry : tree->entries) {
      if (has_content(entry.node)) now.emplace(entry.path, &entry);
    }
    std::vector<std::string> changed;
    for (const KeptEntry& kept : then_.entries) {
      if (!has_content(kept.entry.node)) continue;
      const auto found = now.find(kept.entry.path);
      const bool same = found != now.end() && is_same(kept, *found->second);
      if (found != now.end()) now.erase(found);
      if (!same) changed.push_back(kept.entry.path);
    }
    for (const auto& [path, entry] : now) changed.emplace_back(path);
    std::erase_if(changed, [](const std::string& path) { return is_of_git(path); });
    std::sort(changed.begin(), changed.end());
    return changed;
  }

 private:
  bool is_same(const KeptEntry& kept, const TreeEntry& entry) {
    const Node &then = kept.entry.node, &now = entry.node;
    if (then.kind != now.kind) return false;
    if (then.kind == EntryKind::kLink) return kept.entry.target == entry.target;
    if (then.size != now.size || ((then.mode ^ now.mode) & kExecutable) != 0) return false;
    const bool untouched =
        then.inode == now.inode && then.mtime_ns == now.mtime_ns && then.ctime_ns == now.ctime_ns;
    // If the snapshot has no content of the file, only its metadata can be compared.
    if (untouched || kept.kept == Kept::kLeftOut) return untouched;
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const base::Fd& folder = folders_.open(parent_of(entry.path));
    const std::string name(name_of(entry.path));
    const base::Fd file(folder.valid() ? ::openat(folder.get(), name.c_str(), flags) : -1);
    if (!file.valid()) return false;
    const base::Result<bool> equal = bytes_.equals(kept, file);
    return equal && *equal;
  }

  const KeptRoot& then_;
  const KeptBytes& bytes_;
  store::FolderCache folders_;
};

// Whether a file or link that two snapshots have may differ.
bool may_differ(const KeptEntry& kept, const KeptEntry& later) {
  const Node &then = kept.entry.node, &now = later.entry.node;
  if (then.kind != now.kind) return true;
  if (then.kind == EntryKind::kLink) return kept.entry.target != later.entry.target;
  if (then.size != now.size || ((then.mode ^ now.mode) & kExecutable) != 0) return true;
  const bool untouched =
      then.inode == now.inode && then.mtime_ns == now.mtime_ns && then.ctime_ns == now.ctime_ns;
  if (untouched) return false;
  return !kept.checksum || !later.checksum || *kept.checksum != *later.checksum;
}

// The paths that differ between two snapshots of a directory, sorted.
std::vector<std::string> paths_between(const KeptRoot& then, const KeptRoot& later) {
  std::unordered_map<std::string_view, const KeptEntry*> rest;
  for (const KeptEntry& kept : later.entries) {
    if (has_content(kept.entry.node)) rest.emplace(kept.entry.path, &kept);
  }
  std::vector<std::string> changed;
  for (const KeptEntry& kept : then.entries) {
    if (!has_content(kept.entry.node)) continue;
    const auto found = rest.find(kept.entry.path);
    const bool same = found != rest.end() && !may_differ(kept, *found->second);
    if (found != rest.end()) rest.erase(found);
    if (!same) changed.push_back(kept.entry.path);
  }
  for (const auto& [path, kept] : rest) changed.emplace_back(path);
  std::erase_if(changed, [](const std::string& path) { return is_of_git(path); });
  std::sort(changed.begin(), changed.end());
  return changed;
}

// A repository as it is now and as it was in the snapshot. Its configuration has no effect.
class Repository {
 public:
  Repository(const Manifest& manifest, const KeptBytes& bytes, std::string top)
      : manifest_(manifest), bytes_(bytes), top_(std::move(top)), git_(git_folder_of(top_)) {
    if (git_.own.empty()) git_.own = git_.common = top_ + "/.git";  // it was removed
    const std::string index = git_.own + "/index";
    // The index as it is now, and as it was in the snapshot.
    for (const std::string& listed :
         {git_file(index, kMostIndex).value_or(""), text_then(index, kMostIndex).value_or("")}) {
      // Names of both count, so removing one from the index hides nothing.
      if (auto paths = paths_in_index(listed)) tracked_.insert(paths->begin(), paths->end());
      if (auto folders = submodules_in_index(listed)) {
        for (std::string& folder : *folders) {
          if (::access(joined(joined(top_, folder), ".git").c_str(), F_OK) == 0) {
            submodules_.insert(std::move(folder));
          }
        }
      }
    }
  }

  // The paths in `paths`, relative to the repository's top, that git ignores.
  base::Result<std::unordered_set<std::string>> ignored(const std::vector<std::string>& paths,
                                                        int depth = 0) {
    std::unordered_set<std::string> found;
    std::map<std::string, std::vector<std::string>> in_submodules;
    std::string asked;
    for (const std::string& path : paths) {
      const std::string submodule = submodule_of(path);
      if (!submodule.empty() && depth < kMostNested) {
        in_submodules[submodule].push_back(path.substr(submodule.size() + 1));
        // git refuses paths behind a link that has taken the place of a folder.
      } else if (!tracked_.contains(path) && !is_behind_link(path)) {
        asked += path + '\0';
      }
    }
    for (const auto& [submodule, inner] : in_submodules) {
      auto inside =
          Repository(manifest_, bytes_, joined(top_, submodule)).ignored(inner, depth + 1);
      if (!inside) return inside.error();
      for (const std::string& path : *inside) found.insert(joined(submodule, path));
    }
    if (!asked.empty()) {
      if (base::Status s = ask(asked, found); !s) return s.error();
    }
    return found;
  }

  // Submodules, nested ones included, that have another commit checked out than before.
  std::vector<std::string> moved_submodules(int depth = 0) const {
    std::vector<std::string> moved;
    if (depth == kMostNested) return moved;
    for (const std::string& submodule : submodules_) {
      const Repository inner(manifest_, bytes_, joined(top_, submodule));
      if (inner.has_moved()) moved.push_back(submodule);
      for (const std::string& path : inner.moved_submodules(depth + 1)) {
        moved.push_back(joined(submodule, path));
      }
    }
    return moved;
  }

 private:
  static constexpr size_t kMostIndex = size_t{256} << 20;
  static constexpr int kMostNested = 8;  // links may nest submodules without end

  bool has_moved() const {
    const std::string then = git_head(git_, [this](const std::string& path, size_t max_bytes) {
      return text_then(path, max_bytes);
    });
    const std::string now = git_head(git_, git_file);
    return !then.empty() && !now.empty() && then != now;
  }

  std::string submodule_of(std::string_view path) const {
    for (std::string_view folder = parent_of(path); !folder.empty(); folder = parent_of(folder)) {
      if (const auto found = submodules_.find(std::string(folder)); found != submodules_.end()) {
        return *found;
      }
    }
    return "";
  }

  base::Status ask(const std::string& paths, std::unordered_set<std::string>& ignored) const {
    std::error_code failure;
    const base::Result<store::TemporaryFolder> folder =
        store::TemporaryFolder::make("changes", fs::temp_directory_path(failure));
    if (!folder) return folder.error();
    const std::string scratch = folder->path();
    if (base::Status s = make_repository(scratch); !s) return s;
    base::Result<GitAnswer> answer =
        run_git({{"--git-dir=" + scratch + "/git", "--work-tree=" + top_, "check-ignore",
                  "--no-index", "-z", "--stdin"},
                 top_,
                 paths,
                 kRulesPatience});
    if (!answer) return answer.error();
    if (answer->code > 1) return base::usage_error("git check-ignore: " + answer->err);
    for (const std::string_view path : base::split(answer->out, '\0')) ignored.emplace(path);
    return base::Ok{};
  }

  bool is_behind_link(std::string_view path) {
    const std::string folder(parent_of(path));
    if (folder.empty()) return false;
    const auto known = behind_.find(folder);
    if (known != behind_.end()) return known->second;
    struct stat info {};
    const bool link = ::lstat(joined(top_, folder).c_str(), &info) == 0 && S_ISLNK(info.st_mode);
    return behind_[folder] = link || is_behind_link(folder);
  }

  std::optional<std::string> text_then(const std::string& absolute, size_t max_bytes) const {
    return kept_text(manifest_, bytes_, absolute, max_bytes);
  }

  base::Status make_repository(const std::string& folder) const {
    base::Result<std::string> made =
        ask_git({{"init", "-q", "--bare", "--template=", folder + "/git"}, folder, ""});
    if (!made) return made.error();
    std::error_code failure;
    fs::create_directories(folder + "/git/info", failure);
    return store::write_file_unsynced(
        folder + "/git/info/exclude",
        text_then(git_.common + "/info/exclude", kMostRules).value_or(""));
  }

  const Manifest& manifest_;
  const KeptBytes& bytes_;
  std::string top_;
  GitFolder git_;
  std::unordered_set<std::string> tracked_;
  std::set<std::string> submodules_;
  // Whether a folder is a link, or is behind one.
  std::unordered_map<std::string, bool> behind_;
};

// The top folder of the repository that the work directory is in, or was in when the snapshot was
// taken; "" if none. So an agent that removes .git does not make all ignored files count.
std::string top_of(const KeptRoot& then) {
  const std::string& folder = then.spec.path;
  const auto is_git = [](const KeptEntry& kept) { return kept.entry.path == ".git"; };
  if (std::any_of(then.entries.begin(), then.entries.end(), is_git)) return folder;
  for (std::string at = folder; !at.empty(); at = std::string(parent_of(at))) {
    if (::access((at + "/.git").c_str(), F_OK) == 0) return at;
  }
  return "";
}

// Removes the paths that git ignores from `paths`, which are relative to the work directory.
// `prefix` is the work directory's path in the repository.
base::Status take_ignored(Repository& repository, const std::string& prefix,
                          std::vector<std::string>& paths) {
  if (paths.empty()) return base::Ok{};
  std::vector<std::string> whole;
  whole.reserve(paths.size());
  for (const std::string& path : paths) whole.push_back(joined(prefix, path));
  const base::Result<std::unordered_set<std::string>> ignored = repository.ignored(whole);
  if (!ignored) return ignored.error();
  std::erase_if(paths,
                [&](const std::string& path) { return ignored->contains(joined(prefix, path)); });
  return base::Ok{};
}

void add_moved(const Repository& repository, const std::string& prefix,
               std::vector<std::string>& paths) {
  for (const std::string& submodule : repository.moved_submodules()) {
    if (!is_within(submodule, prefix) || submodule == prefix) continue;
    paths.push_back(prefix.empty() ? submodule : submodule.substr(prefix.size() + 1));
  }
  std::sort(paths.begin(), paths.end());
}

base::Status look(const ChangesWanted& wanted, store::FoundChanges& found) {
  base::Result<Manifest> manifest = read_manifest(wanted.snapshot);
  if (!manifest) return manifest.error();
  base::Result<KeptBytes> bytes = KeptBytes::open(wanted.snapshot, *manifest);
  if (!bytes) return bytes.error();
  base::Result<std::vector<std::string>> paths = changed_paths(wanted, *manifest, *bytes);
  if (!paths) return paths.error();
  found.files = static_cast<int>(paths->size());
  if (paths->size() > kMostPaths) paths->resize(kMostPaths);
  for (const std::string& path : *paths) found.paths.push_back(base::printable(path));
  return base::Ok{};
}

base::Result<std::vector<std::string>> present_changes(const ChangesWanted& wanted,
                                                       const Manifest& manifest,
                                                       const KeptBytes& bytes) {
  std::vector<std::string> skipped;
  for (const KeptRoot& root : manifest.roots) {
    if (root.spec.path != wanted.work_dir) skipped.push_back(root.spec.path);
  }
  return Comparison(manifest.roots.front(), bytes).run(skipped);
}

bool is_of(const Manifest& manifest, const std::string& work_dir) {
  return !manifest.roots.empty() && manifest.roots.front().spec.path == work_dir;
}

}  // namespace

base::Result<std::vector<std::string>> changed_paths(const ChangesWanted& wanted,
                                                     const Manifest& manifest,
                                                     const KeptBytes& bytes,
                                                     const Manifest* later) {
  if (!is_of(manifest, wanted.work_dir) || (later != nullptr && !is_of(*later, wanted.work_dir))) {
    return base::usage_error("the snapshot is of another folder");
  }
  base::Result<std::vector<std::string>> paths =
      later == nullptr ? present_changes(wanted, manifest, bytes)
                       : paths_between(manifest.roots.front(), later->roots.front());
  if (!paths) return paths;
  const std::string top = top_of(manifest.roots.front());
  const bool is_gone = ::access(wanted.work_dir.c_str(), F_OK) != 0;
  if (!top.empty() && !is_gone) {
    const std::string prefix = path_in_repository(manifest);
    Repository repository(manifest, bytes, top);
    if (base::Status s = take_ignored(repository, prefix, *paths); !s) return s.error();
    if (later == nullptr) add_moved(repository, prefix, *paths);
  }
  std::erase_if(*paths, [&wanted](const std::string& path) {
    struct stat info {};
    if (::lstat(joined(wanted.work_dir, path).c_str(), &info) != 0) return false;
    const FileIdentity file{info.st_dev, info.st_ino};
    return std::ranges::find(wanted.own_files, file) != wanted.own_files.end();
  });
  return paths;
}

std::string path_in_repository(const Manifest& manifest) {
  const std::string& folder = manifest.roots.front().spec.path;
  const std::string top = top_of(manifest.roots.front());
  return top.empty() || top == folder ? "" : folder.substr(top.size() + 1);
}

std::string file_identity(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return "";
  return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
}

std::optional<FileIdentity> file_identity_from(std::string_view text) {
  FileIdentity file;
  const char* const end = text.data() + text.size();
  const auto [colon, failure] = std::from_chars(text.data(), end, file.device);
  if (failure != std::errc() || colon == end || *colon != ':') return std::nullopt;
  const auto [rest, also] = std::from_chars(colon + 1, end, file.inode);
  if (also != std::errc() || rest != end) return std::nullopt;
  return file;
}

store::FoundChanges find_changes(const ChangesWanted& wanted) {
  store::FoundChanges found;
  const std::string head = git_head(wanted.work_dir);
  found.head_moved = !head.empty() && head != wanted.head;
  if (base::Status s = look(wanted, found); !s) {
    found.unknown = s.error().text;
    found.files = 0;
  }
  return found;
}

bool may_differ(const KeptEntry* one, const KeptEntry* other) {
  if (one == nullptr || other == nullptr) return one != other;
  return may_differ(*one, *other);
}

}  // namespace orch::repo
