#include "repo/changes.h"

#include <fcntl.h>
#include <stdlib.h>  // mkdtemp
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text.h"
#include "repo/archive.h"
#include "repo/folder_at.h"
#include "repo/git_head.h"
#include "repo/git_index.h"
#include "repo/git_places.h"
#include "repo/git_program.h"
#include "repo/manifest.h"
#include "repo/tree.h"
#include "store/atomic_file.h"

namespace orch::repo {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostEntries = 1'000'000;
constexpr size_t kMostPaths = 20;  // told
constexpr size_t kMostRules = 1 << 20;
constexpr mode_t kExecutable = 0100;  // all that git keeps of a mode

bool has_content(const Node& node) { return node.kind == Kind::kFile || node.kind == Kind::kLink; }

bool is_of_git(std::string_view path) {
  for (; !path.empty(); path = parent_of(path)) {
    if (name_of(path) == ".git") return true;
  }
  return false;
}

class Comparison {
 public:
  Comparison(const KeptRoot& then, const KeptBytes& bytes)
      : then_(then), bytes_(bytes), folders_(open_root(then.spec.path)) {}

  // Paths below the root, sorted.
  base::Result<std::vector<std::string>> run(const std::vector<std::string>& skipped) {
    base::Result<Tree> tree = list_tree(then_.spec.path, skipped, kMostEntries);
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
    if (then.kind == Kind::kLink) return kept.entry.target == entry.target;
    if (then.size != now.size || ((then.mode ^ now.mode) & kExecutable) != 0) return false;
    const bool untouched =
        then.inode == now.inode && then.mtime_ns == now.mtime_ns && then.ctime_ns == now.ctime_ns;
    // Of one that the snapshot lacks it is all that is known.
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
  FolderCache folders_;
};

// Where a path of git's folder stood in the snapshot, if it did.
struct Place {
  const KeptRoot* root = nullptr;
  const KeptEntry* entry = nullptr;
};
Place place_of(const Manifest& manifest, const std::string& absolute) {
  for (const KeptRoot& root : manifest.roots) {
    if (!is_within(absolute, root.spec.path) || absolute.size() <= root.spec.path.size()) continue;
    const std::string path = absolute.substr(root.spec.path.size() + 1);
    for (const KeptEntry& kept : root.entries) {
      if (kept.entry.path == path) return {&root, &kept};
    }
  }
  return {};
}

// A folder that goes with this.
class Scratch {
 public:
  Scratch() {
    path_ = (fs::temp_directory_path(failure_) / "orch-changes-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Scratch() {
    if (!path_.empty()) fs::remove_all(path_, failure_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::error_code failure_;
  std::string path_;
};

// git's view of a work directory without anything that its repository's configuration says.
class Ignored {
 public:
  Ignored(const Manifest& manifest, const KeptBytes& bytes, std::string top, std::string prefix)
      : manifest_(manifest), bytes_(bytes), top_(std::move(top)), prefix_(std::move(prefix)) {}

  // Takes those out of `paths` that git ignores.
  base::Status remove_from(std::vector<std::string>& paths) {
    GitFolder git = git_folder_of(top_);
    if (git.own.empty()) git.own = git.common = top_ + "/.git";  // it is gone
    std::unordered_set<std::string> tracked;
    add_tracked(git.own, tracked);
    std::string asked;
    for (const std::string& path : paths) {
      const std::string whole = joined(prefix_, path);
      // git refuses to look behind a link, which has taken the place of a folder.
      if (!tracked.contains(whole) && !is_behind_link(whole)) asked += whole + '\0';
    }
    if (asked.empty()) return base::Ok{};
    const Scratch scratch;
    if (scratch.path().empty()) return base::system_error("a folder for temporary files", errno);
    if (base::Status s = make_repository(scratch.path(), git); !s) return s;
    base::Result<GitAnswer> answer =
        run_git({{"--git-dir=" + scratch.path() + "/git", "--work-tree=" + top_, "check-ignore",
                  "--no-index", "-z", "--stdin"},
                 top_,
                 asked});
    if (!answer) return answer.error();
    if (answer->code > 1) return base::usage_error("git check-ignore: " + answer->err);
    std::unordered_set<std::string> ignored;
    std::string_view rest = answer->out;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\0'), rest.size());
      ignored.emplace(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::erase_if(paths,
                  [&](const std::string& path) { return ignored.contains(joined(prefix_, path)); });
    return base::Ok{};
  }

 private:
  bool is_behind_link(std::string_view path) {
    const std::string folder(parent_of(path));
    if (folder.empty()) return false;
    const auto known = behind_.find(folder);
    if (known != behind_.end()) return known->second;
    struct stat info {};
    const bool link = ::lstat(joined(top_, folder).c_str(), &info) == 0 && S_ISLNK(info.st_mode);
    return behind_[folder] = link || is_behind_link(folder);
  }

  // What is tracked now; and then, so that removing a name from the index hides nothing.
  void add_tracked(const std::string& git, std::unordered_set<std::string>& tracked) const {
    if (auto now = tracked_paths(git)) tracked.insert(now->begin(), now->end());
    if (auto then = paths_in_index(text_then(git + "/index", size_t{256} << 20))) {
      tracked.insert(then->begin(), then->end());
    }
  }

  std::string text_then(const std::string& absolute, size_t max_bytes) const {
    const Place place = place_of(manifest_, absolute);
    return place.entry == nullptr ? "" : bytes_.beginning(*place.entry, max_bytes);
  }

  base::Status make_repository(const std::string& folder, const GitFolder& git) const {
    base::Result<std::string> made =
        ask_git({{"init", "-q", "--bare", "--template=", folder + "/git"}, folder, ""});
    if (!made) return made.error();
    std::error_code failure;
    fs::create_directories(folder + "/git/info", failure);
    return store::write_file_unsynced(folder + "/git/info/exclude",
                                      text_then(git.common + "/info/exclude", kMostRules));
  }

  const Manifest& manifest_;
  const KeptBytes& bytes_;
  std::string top_, prefix_;
  std::unordered_map<std::string, bool> behind_;  // by folder
};

// The folder of the repository that the work directory was in, or is; "" when there is none. An
// agent that removes it does not do away with what it ignores.
std::string top_of(const KeptRoot& then) {
  const std::string& folder = then.spec.path;
  const auto is_git = [](const KeptEntry& kept) { return kept.entry.path == ".git"; };
  if (std::any_of(then.entries.begin(), then.entries.end(), is_git)) return folder;
  for (std::string at = folder; !at.empty(); at = std::string(parent_of(at))) {
    if (::access((at + "/.git").c_str(), F_OK) == 0) return at;
  }
  return "";
}

base::Status look(const ChangesWanted& wanted, store::FoundChanges& found) {
  base::Result<Manifest> manifest = read_manifest(wanted.snapshot);
  if (!manifest) return manifest.error();
  if (manifest->roots.empty() || manifest->roots.front().spec.path != wanted.work_dir) {
    return base::usage_error("the snapshot is of another folder");
  }
  base::Result<KeptBytes> bytes = KeptBytes::open(wanted.snapshot, *manifest);
  if (!bytes) return bytes.error();
  std::vector<std::string> skipped;
  for (const KeptRoot& root : manifest->roots) {
    if (root.spec.path != wanted.work_dir) skipped.push_back(root.spec.path);
  }
  base::Result<std::vector<std::string>> paths =
      Comparison(manifest->roots.front(), *bytes).run(skipped);
  if (!paths) return paths.error();
  const std::string top = top_of(manifest->roots.front());
  if (!paths->empty() && !top.empty()) {
    const std::string prefix = top == wanted.work_dir ? "" : wanted.work_dir.substr(top.size() + 1);
    if (base::Status s = Ignored(*manifest, *bytes, top, prefix).remove_from(*paths); !s) return s;
  }
  found.files = static_cast<int>(paths->size());
  if (paths->size() > kMostPaths) paths->resize(kMostPaths);
  for (const std::string& path : *paths) found.paths.push_back(base::printable(path));
  return base::Ok{};
}

}  // namespace

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

}  // namespace orch::repo
