#pragma once

#include <string>

#include "base/fd.h"

namespace orch::store {

// Locks on files of orch's own that last as long as their descriptor, however the process ends
// (fcntl(2), open file description locks). A shared disk may lose them, or keep them from other
// machines.

// Makes the file where it is missing. Empty when somebody else holds it: then errno is EAGAIN; else
// it is the system's reason.
base::Fd try_lock(const std::string& path);

// Whether the locked file is still at its path: a lock on one that was removed keeps nobody out.
bool is_still_there(const base::Fd& file, const std::string& path);

// Asks without taking the lock: a look must keep nobody out. Who may only read, as an agent inside
// of its fence, may look, too.
bool is_locked(const std::string& path);

}  // namespace orch::store
