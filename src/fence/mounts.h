#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::fence {

// A part of a file system, and where it is seen.
struct Mount {
  std::string device;  // of the file system, "254:0"
  std::string root;    // the part's path in the file system
  std::string point;   // where it is mounted
  bool operator==(const Mount&) const = default;
};

// Of the text of /proc/self/mountinfo. What is no such line is passed over.
std::vector<Mount> parse_mounts(std::string_view mountinfo);
std::vector<Mount> mounts_of_this_process();

// The same file or folder by its names in other mounts. A name may be covered by a mount over it.
std::vector<std::string> other_names(const std::vector<Mount>& mounts, std::string_view path);

// Where parts of this folder are mounted by themselves.
std::vector<std::string> parts_mounted(const std::vector<Mount>& mounts, std::string_view folder);

}  // namespace orch::fence
