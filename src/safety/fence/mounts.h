#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::fence {

// A part of a file system, and where it is mounted.
struct Mount {
  std::string device;  // of the file system, "254:0"
  std::string root;    // the part's path in the file system
  std::string point;   // where it is mounted
  bool operator==(const Mount&) const = default;
};

// Parses the text of /proc/self/mountinfo. Skips lines that are not understood.
std::vector<Mount> parse_mounts(std::string_view mountinfo);
std::vector<Mount> mounts_of_this_process();

// The other paths of a file or folder, in other mounts. Each of them may itself be covered by a
// mount.
std::vector<std::string> other_names(const std::vector<Mount>& mounts, std::string_view path);

// The mount points of parts of this folder that are mounted by themselves.
std::vector<std::string> parts_mounted(const std::vector<Mount>& mounts, std::string_view folder);

}  // namespace orch::fence
