#include "repo/tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <optional>

#include "base/path.h"

namespace orch::repo {
namespace {

// A limit for the paths of a tree together. Those of 300,000 files take some 30 MB; those of one
// chain of nested folders grow with the square of its depth, and reach the limit at 16,000 folders
// or more.
constexpr size_t kMaxPathBytes = size_t{256} << 20;
constexpr size_t kFarTooManyPathBytes = size_t{1} << 30;  // reached by many files in a deep folder

int64_t ns_of(const timespec& time) { return int64_t{time.tv_sec} * kNsPerSecond + time.tv_nsec; }

EntryKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return EntryKind::kFile;
  if (S_ISDIR(mode)) return EntryKind::kFolder;
  if (S_ISLNK(mode)) return EntryKind::kLink;
  return S_ISFIFO(mode) ? EntryKind::kPipe : EntryKind::kOther;
}

std::string target_of(const base::Fd& folder, const std::string& name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlinkat(folder.get(), name.c_str(), target.data(), target.size());
  target.resize(length < 0 ? 0 : static_cast<size_t>(length));
  return target;
}

}  // namespace

Node node_of(const struct stat& info) {
  return {.kind = kind_of(info.st_mode),
          .mode = info.st_mode & 07777,
          .uid = info.st_uid,
          .gid = info.st_gid,
          .size = info.st_size,
          .mtime_ns = ns_of(info.st_mtim),
          .ctime_ns = ns_of(info.st_ctim),
          .inode = info.st_ino};
}

FileIdentity identity_of(const struct stat& info) { return {info.st_dev, info.st_ino}; }

std::string_view parent_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string joined(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  if (name.empty()) return std::string(folder);
  return std::string(folder) + "/" + std::string(name);
}

bool is_within(std::string_view path, std::string_view folder) {
  return folder.empty() || base::is_within(path, folder);
}

namespace {

class Lister {
 public:
  Lister(const std::string& root, const TreeRequest& wanted)
      : root_(root), wanted_(wanted), folders_(store::open_root(root)) {}

  base::Result<Tree> list() {
    struct stat info {};
    if (!folders_.root().valid() || ::fstat(folders_.root().get(), &info) != 0) {
      return base::system_error(root_, errno);
    }
    device_ = info.st_dev;
    std::vector<std::string> waiting = {""};  // folders that have to be listed
    while (!waiting.empty()) {
      const std::string folder = std::move(waiting.back());
      waiting.pop_back();
      const size_t before = waiting.size();
      if (base::Status s = list_folder(folder, waiting); !s) return s.error();
      std::reverse(waiting.begin() + static_cast<ptrdiff_t>(before), waiting.end());
    }
    return std::move(tree_);
  }

 private:
  // Adds the entries of the folder, and to `waiting` the folders among them.
  base::Status list_folder(const std::string& folder, std::vector<std::string>& waiting) {
    const base::Fd& at = folders_.open(folder);
    std::optional<std::vector<std::string>> names;
    if (at.valid()) {
      if (auto listed = store::names_in(at)) names = std::move(listed).value();
    }
    if (!names) {
      if (folder.empty()) return base::system_error(root_, errno);
      tree_.unread.push_back(folder);
      return base::Ok{};
    }
    const size_t before = tree_.entries.size();
    for (const std::string& name : *names) {
      struct stat info {};
      if (::fstatat(at.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != EACCES) continue;  // it is gone
        // A folder that may be read but not entered shows only names.
        tree_.entries.resize(before);
        if (folder.empty()) return base::system_error(root_, errno);
        tree_.unread.push_back(folder);
        return base::Ok{};
      }
      if (base::Status s = add(at, joined(folder, name), info, waiting); !s) return s;
    }
    return base::Ok{};
  }

  base::Status add(const base::Fd& at, std::string path, const struct stat& info,
                   std::vector<std::string>& waiting) {
    TreeEntry entry{std::move(path), node_of(info), ""};
    if (entry.node.kind == EntryKind::kFolder) {
      const std::string absolute = joined(root_, entry.path);
      if (is_any_of(wanted_.skipped, absolute)) return base::Ok{};
      if (is_any_of(wanted_.forbidden, identity_of(info))) {
        return base::usage_error("the snapshot would lie within " + absolute);
      }
      enter(entry.path, info, waiting);
    }
    if (entry.node.kind == EntryKind::kLink)
      entry.target = target_of(at, std::string(name_of(entry.path)));
    path_bytes_ += entry.path.size();
    tree_.entries.push_back(std::move(entry));
    if (static_cast<int64_t>(tree_.entries.size()) > wanted_.max_entries) {
      return base::Error{
          base::ErrorCode::kSystem,
          root_ + " holds more than " + std::to_string(wanted_.max_entries) + " files"};
    }
    if (path_bytes_ > kFarTooManyPathBytes) {
      return base::Error{base::ErrorCode::kSystem, root_ + " holds too many files too deep in it"};
    }
    return base::Ok{};
  }

  void enter(const std::string& path, const struct stat& info, std::vector<std::string>& waiting) {
    if (wanted_.enters && !wanted_.enters(path)) return;
    if (info.st_dev == device_ && path_bytes_ < kMaxPathBytes) {
      waiting.push_back(path);
    } else {
      tree_.unread.push_back(path);
    }
  }

  template <typename Value>
  static bool is_any_of(const std::vector<Value>& values, const Value& value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  }

  const std::string& root_;
  const TreeRequest& wanted_;
  store::FolderCache folders_;
  dev_t device_ = 0;
  size_t path_bytes_ = 0;
  Tree tree_;
};

}  // namespace

base::Result<Tree> list_tree(const std::string& root, const TreeRequest& wanted) {
  return Lister(root, wanted).list();
}

}  // namespace orch::repo
