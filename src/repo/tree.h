#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/folder_at.h"

namespace orch::repo {

enum class Kind : uint8_t { kFile, kFolder, kLink, kPipe, kOther };  // kOther: sockets, devices

// What lstat says of a name, as far as a snapshot needs it. Times are nanoseconds since 1970.
struct Node {
  Kind kind = Kind::kOther;
  mode_t mode = 0;  // permission bits
  uid_t uid = 0;
  gid_t gid = 0;
  int64_t size = 0;
  int64_t mtime_ns = 0, ctime_ns = 0;
  uint64_t inode = 0;
  bool operator==(const Node&) const = default;
};
Node node_of(const struct stat& info);

struct TreeEntry {
  std::string path;  // relative to the root of the tree, any bytes but NUL; never "" nor ".."
  Node node;
  std::string target;  // of a link
};

// A file or folder by its device and inode, whatever path leads to it.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity identity_of(const struct stat& info);

// All that is below a folder, however deep. A folder comes before what is in it, and the names of
// one folder are together. No link is followed and no other file system entered.
struct Tree {
  std::vector<TreeEntry> entries;
  // Folders of which it is not known what is in them: closed, elsewhere, or so deep that their
  // paths are more than memory should hold.
  std::vector<std::string> unread;
};

struct TreeWish {
  std::vector<std::string> skipped;  // absolute paths of folders that are left out
  int64_t max_entries = 0;
  // Whether what is in a folder is wanted; empty: always. One that is not entered is no unread one.
  std::function<bool(const std::string& path)> enters;
  std::vector<FileIdentity> forbidden;  // folders that must not be in it: an Error
};

// An Error when there are more entries than wanted, or when the root cannot be listed.
base::Result<Tree> list_tree(const std::string& root, const TreeWish& wish);

// The folder part of a path and its last name: "a/b" is "a" and "b", "b" is "" and "b".
std::string_view parent_of(std::string_view path);
std::string_view name_of(std::string_view path);
std::string joined(std::string_view folder, std::string_view name);

// Whether `path` is `folder` or lies in it; "" holds every relative path.
bool is_within(std::string_view path, std::string_view folder);

}  // namespace orch::repo
