#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "store/found.h"

namespace orch::fence {

// Remembers the folders where agents have worked, or that they might write, in the state directory,
// where no agent can write. An agent may have written the files in a work folder; the remembered
// state is from the time when the user first sent an agent there.
class WorkPlaces {
 public:
  explicit WorkPlaces(std::string state_dir) : state_dir_(std::move(state_dir)) {
    ORCH_CHECK(!state_dir_.empty());
  }

  // git's folders outside of a work folder (git_folders.h). Fewer folders than at the first look
  // are fine; another one is an error, which says how the user can accept it. At the first look,
  // the remembered folders of the folder around it count.
  base::Result<std::vector<std::string>> git_folders(const std::string& work_dir) const;
  // The same, but remembers the result of the first look: an agent is about to be started.
  base::Result<std::vector<std::string>> remember_git_folders(const std::string& work_dir) const;
  // The user has looked at the folders that git names now, and accepts them.
  base::Status accept_git_folders(const std::string& work_dir) const;
  // Remembers that agents may write to the folder.
  base::Status remember(const std::string& folder) const;
  // The same without waiting for the disk: after a loss of power the folder may be forgotten.
  base::Status remember_unsynced(const std::string& folder) const;

  // The remembered folder that is or contains `path`. Both are without symbolic links.
  store::Found<std::string> holding(const std::string& path) const;
  // Forgets folders that do not exist any more, unless they were noted after `cutoff` (Unix time,
  // in seconds).
  void forget_gone(int64_t cutoff) const;

 private:
  std::string file_of(const std::string& folder) const;
  base::Status check_first_look(const std::string& work_dir,
                                const std::vector<std::string>& now) const;

  std::string state_dir_;
};

}  // namespace orch::fence
