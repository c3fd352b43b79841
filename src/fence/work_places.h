#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::fence {

// Where agents have worked, or were let write: remembered in the state folder, which none of them
// can write. A work folder's own files say what an agent wants them to say; what is remembered was
// so when a person first sent an agent there.
class WorkPlaces {
 public:
  explicit WorkPlaces(const std::string& state_dir) : folder_(state_dir + "/places") {}

  // What git keeps outside of a work folder (git_folders.h). Fewer than at the first look is a
  // matter of course; another one is an error, which says how a person accepts it. At the first
  // look what is remembered of the folder around counts.
  base::Result<std::vector<std::string>> git_folders(const std::string& work_dir) const;
  // The same; where this is the first look it is remembered: an agent is about to be started.
  base::Result<std::vector<std::string>> remember_git_folders(const std::string& work_dir) const;
  // A person has looked at the folders that git names now.
  base::Status accept_git_folders(const std::string& work_dir) const;
  // The folder may be written by an agent.
  base::Status remember(const std::string& folder) const;

  // The remembered folder that is, or holds, `path`; "" for none. Both without symbolic links.
  std::string holding(const std::string& path) const;
  // Forgets folders that are gone, of which nothing was said after `cutoff`, in seconds of Unix
  // time.
  void forget_gone(int64_t cutoff) const;

 private:
  std::string file_of(const std::string& folder) const;
  base::Status check_first_look(const std::string& work_dir,
                                const std::vector<std::string>& now) const;

  std::string folder_;
};

}  // namespace orch::fence
