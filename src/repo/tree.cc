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

// Folders are opened by their whole path, which the kernel takes up to PATH_MAX.
constexpr size_t kMaxFolderPath = PATH_MAX - NAME_MAX - 2;
constexpr int64_t kNsPerSecond = 1'000'000'000;

int64_t ns_of(const timespec& time) { return int64_t{time.tv_sec} * kNsPerSecond + time.tv_nsec; }

Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return Kind::kFile;
  if (S_ISDIR(mode)) return Kind::kFolder;
  if (S_ISLNK(mode)) return Kind::kLink;
  return S_ISFIFO(mode) ? Kind::kPipe : Kind::kOther;
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

base::Result<Tree> list_tree(const std::string& root, const std::vector<std::string>& skipped,
                             int64_t max_entries) {
  const base::Fd top = open_root(root);
  struct stat info {};
  if (!top.valid() || ::fstat(top.get(), &info) != 0) return base::system_error(root, errno);
  const dev_t device = info.st_dev;
  Tree tree;
  std::vector<std::string> folders = {""};  // not yet listed
  while (!folders.empty()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    const base::Fd at = open_below(top, folder);
    std::optional<std::vector<std::string>> names;
    if (at.valid()) {
      if (auto listed = names_in(at)) names = std::move(listed).value();
    }
    if (!names) {
      if (folder.empty()) return base::system_error(root, errno);
      tree.unread.push_back(folder);
      continue;
    }
    const size_t before = folders.size();
    for (const std::string& name : *names) {
      if (::fstatat(at.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;  // gone
      TreeEntry entry{joined(folder, name), node_of(info), ""};
      if (entry.node.kind == Kind::kFolder) {
        const std::string absolute = joined(root, entry.path);
        if (std::find(skipped.begin(), skipped.end(), absolute) != skipped.end()) continue;
        if (info.st_dev == device && entry.path.size() < kMaxFolderPath) {
          folders.push_back(entry.path);
        } else {
          tree.unread.push_back(entry.path);
        }
      }
      if (entry.node.kind == Kind::kLink) entry.target = target_of(at, name);
      tree.entries.push_back(std::move(entry));
      if (static_cast<int64_t>(tree.entries.size()) > max_entries) {
        return base::Error{base::ErrorCode::kSystem,
                           root + " holds more than " + std::to_string(max_entries) + " files"};
      }
    }
    std::reverse(folders.begin() + static_cast<ptrdiff_t>(before), folders.end());
  }
  return tree;
}

}  // namespace orch::repo
