#pragma once

#include <string>

#include "base/fd.h"

namespace orch::repo {

// Holds a folder for this process: others of orch that want it wait, each its turn. The lock is on
// the folder itself, so that nothing is written and nothing stays, and it goes with the process,
// however that ends. Not for a process that has a loop to turn: it waits, for half a minute at
// most. After that, and on disks that know no such locks, its owner goes on without: the lock saves
// from failing beside each other, and git's own locks from harm.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  bool held() const { return folder_.valid(); }

 private:
  base::Fd folder_;
};

}  // namespace orch::repo
