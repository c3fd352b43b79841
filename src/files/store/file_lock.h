#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "store/found.h"

namespace orch::store {

// Locks on files of orch's own. A lock lasts as long as its descriptor is open, however the process
// ends (fcntl(2), open file description locks). A shared disk may lose locks, or hide them from
// other machines.

// Locks the file, which is created if missing. Returns an empty Fd on failure: errno is EAGAIN if
// somebody else holds the lock, otherwise the system's reason.
base::Fd try_lock(const std::string& path);

// Locks an open file or folder by flock(2), for which no permission to write is needed, and waits
// for it at most so long. False on failure: errno is EWOULDBLOCK if somebody else holds the lock.
bool lock_open(const base::Fd& open, int64_t patience_ms);

// Whether the locked file is still at its path: the lock on a file that was removed keeps nobody
// out.
Presence still_there(const base::Fd& file, const std::string& path);

// Whether somebody holds the lock; a file that is missing is held by nobody. Asks without taking
// the lock, so that asking keeps nobody out. Needs only permission to read, as an agent inside its
// fence has.
Presence holder_of_lock(const std::string& path);

}  // namespace orch::store
