#pragma once

#include <string>

#include "base/fd.h"

namespace orch::repo {

// Locks a folder for this process; other processes of orch that want it wait for their turn. The
// lock is on the folder itself, so nothing is written, and it ends with the process. The
// constructor blocks for up to half a minute, so it is not for a process with a loop. After that,
// and on disks without flock(2), the owner goes on without it: the lock only keeps processes from
// failing because of each other; git's own locks keep them from harm.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  bool held() const { return folder_.valid(); }

 private:
  base::Fd folder_;
};

}  // namespace orch::repo
