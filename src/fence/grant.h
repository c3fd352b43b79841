#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

// What turns a path into a grant. Nothing else does: the fence's rules and mounts, where a crew's
// or a task's agents work and what a container sees are made of these.
namespace orch::fence {

// A file or folder that an agent may write, with all that is in it: where it stands, and which one
// stood there when that was decided. Who uses it opens it again, and finds the same or nothing.
struct Grant {
  std::string path;     // absolute, without symbolic links
  uint64_t device = 0;  // of a folder (stat); 0 for a file, which programs replace by another
  uint64_t inode = 0;
  bool operator==(const Grant&) const = default;
};

// What no agent may write as a whole, since a fence around it would hold nothing.
struct Guarded {
  std::vector<std::string> homes;  // of the user
  std::string state_dir;           // where orch keeps its runs; it need not be there yet
  // What orch obeys: files and folders of the user's configuration. Nothing in them is granted,
  // either.
  std::vector<std::string> configuration;
};
// Of this process's user, by orch's own environment: the values of $HOME and $XDG_CONFIG_HOME, ""
// where they are not set.
Guarded guarded_of_user(const std::string& home, const std::string& xdg_config_home,
                        std::string state_dir);
// $HOME, and what the system's list of users says.
std::vector<std::string> homes_of_user(const std::string& home);

// What a person named: links on the way to it are followed. An error, one line: it is not there, or
// it is or holds something guarded, or is one of the system's own folders (/etc, /usr ...).
base::Result<Grant> grant(const std::string& path, const Guarded& guarded);
// The same for a path that was made free of links when somebody decided about it: where one stands
// now, an agent has put it there.
base::Result<Grant> grant_as_decided(const std::string& path, const Guarded& guarded);

// What somebody else named - a file that agents may write, a model's answer: a folder or file that
// lies in `root`, reached from there step by step, through no link and no "..". `path` is relative,
// or absolute and below the root; "" and "." are the root itself.
base::Result<Grant> grant_beneath(const Grant& root, const std::string& path);

// Opens it (O_PATH), through no link. An error where it is gone, or another by now.
base::Result<base::Fd> open_granted(const Grant& grant);

}  // namespace orch::fence
