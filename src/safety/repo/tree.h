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

inline constexpr int64_t kNsPerSecond = 1'000'000'000;

enum class EntryKind : uint8_t {
  kFile,
  kFolder,
  kLink,
  kPipe,
  kOther
};  // kOther: sockets, devices

// The part of lstat()'s result that a snapshot needs. Times are nanoseconds since 1970.
struct Node {
  EntryKind kind = EntryKind::kOther;
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
  std::string path;  // relative to the tree's root; any bytes but NUL; never "" or ".."
  Node node;
  std::string target;  // the link's target; "" otherwise
};

// Identifies a file or folder by its device and inode, whatever path leads to it.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity identity_of(const struct stat& info);

// Everything below a folder, however deep. A folder comes before its content, and the entries of
// one folder are together. Links are not followed, and other file systems are not entered.
struct Tree {
  std::vector<TreeEntry> entries;
  // Folders with unknown content: they cannot be read, are on another file system, or are so deep
  // that their paths would take too much memory.
  std::vector<std::string> unread;
};

struct TreeRequest {
  std::vector<std::string> skipped;  // absolute paths of folders that are left out
  int64_t max_entries = 0;
  // Whether the content of a folder is wanted; empty: always. A folder that is not wanted does not
  // count as unread.
  std::function<bool(const std::string& path)> enters;
  std::vector<FileIdentity> forbidden;  // an Error if the tree contains one of these folders
};

// An Error if there are more than max_entries, or if the root cannot be listed.
base::Result<Tree> list_tree(const std::string& root, const TreeRequest& wanted);

// The folder and the last name of a path: "a/b" has "a" and "b", "b" has "" and "b".
std::string_view parent_of(std::string_view path);
std::string_view name_of(std::string_view path);
std::string joined(std::string_view folder, std::string_view name);

// Whether `path` is `folder` or in it; every relative path is in "".
bool is_within(std::string_view path, std::string_view folder);

}  // namespace orch::repo
