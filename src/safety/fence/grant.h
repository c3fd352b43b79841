#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

// Turns paths into grants; no other code does. The rules and mounts of a fence, the places where a
// crew's or a task's agents work, and a container's view are made of grants.
namespace orch::fence {

// A file or folder, with all its content, that an agent may write: its path, and the folder's
// identity at the decision. Users of the grant open it again, and get the same folder or an error.
struct Grant {
  std::string path;     // absolute, without symbolic links
  uint64_t device = 0;  // of a folder (stat); 0 for a file, which programs replace by another
  uint64_t inode = 0;
  bool operator==(const Grant&) const = default;
};

// Places that no agent may write as a whole, because a fence around it would be useless.
struct Guarded {
  std::vector<std::string> homes;  // the home directories of the user
  std::string state_dir;           // the folder of orch's runs; it need not exist yet
  // Files and folders of the user's configuration that orch obeys. Nothing in them is granted
  // either.
  std::vector<std::string> configuration;
  // Folders for the verdicts of jobs. Nothing in them is granted either.
  std::vector<std::string> verdicts = {};
};
// For this process's user. The arguments are the values of $HOME and $XDG_CONFIG_HOME in orch's own
// environment, "" if they are not set.
Guarded guarded_of_user(const std::string& home, const std::string& xdg_config_home,
                        std::string state_dir);
// $HOME, and the home in the system's list of users.
std::vector<std::string> homes_of_user(const std::string& home);

// Grants a path that the user has named: links in it are followed. An error, in one line: it does
// not exist, it is or contains something guarded, or it is one of the system's own folders (/etc,
// /usr ...).
base::Result<Grant> grant(const std::string& path, const Guarded& guarded);
// The same for a path that was without links when it was decided about: a link in it now was made
// by an agent, and is an error.
base::Result<Grant> grant_as_decided(const std::string& path, const Guarded& guarded);

// Grants a path that somebody else has named (a file that agents may write, a model's answer): it
// must be in `root`, and is reached from there step by step, through no link and no "..". `path` is
// relative, or absolute and below the root; "" and "." are the root itself.
base::Result<Grant> grant_beneath(const Grant& root, const std::string& path);

// Opens a granted file or folder (O_PATH), through no link. An error if it is gone, or was
// replaced.
base::Result<base::Fd> open_granted(const Grant& grant);

}  // namespace orch::fence
