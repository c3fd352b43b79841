#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/folder_at.h"

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

// All that is below a folder. A folder comes before what is in it, and the names of one folder are
// together. No link is followed and no other file system entered.
struct Tree {
  std::vector<TreeEntry> entries;
  std::vector<std::string> unread;  // folders that were not listed: closed, elsewhere or too deep
};

// `skipped` are absolute paths of folders that are left out. An Error when there are more than
// `max_entries`, or when the root cannot be listed.
base::Result<Tree> list_tree(const std::string& root, const std::vector<std::string>& skipped,
                             int64_t max_entries);

// The folder part of a path and its last name: "a/b" is "a" and "b", "b" is "" and "b".
std::string_view parent_of(std::string_view path);
std::string_view name_of(std::string_view path);
std::string joined(std::string_view folder, std::string_view name);

// Whether `path` is `folder` or lies in it; "" holds every relative path.
bool is_within(std::string_view path, std::string_view folder);

}  // namespace orch::repo
