#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "store/session_file.h"

namespace orch::client {

enum class Manner : uint8_t {
  kPolitely,  // the host asks the agent to leave
  kAtOnce,    // the host kills the agent; if no host answers it is done without the host
};

// Ends a session and returns once it has ended; kNotFound if another run has taken its place. A
// queued session is taken out of the queue. If its host is gone, the processes that its run has
// started are searched for and ended (remnants.h); if some do not end, that is an error, and the
// session stays listed. With kAtOnce, if its host does not answer, the host is killed, provided
// that the pid is certainly that host's; the host's guardian then ends its runs. A host that also
// serves sessions outside of `all_named`, the sessions that are to end, is not killed: only the
// processes of this session are, and the returned line reports the rest. If some process of the run
// lives on all the same, that is an error that names it.
base::Result<std::string> end_session(const std::string& state_dir,
                                      const store::SessionRecord& session, Manner manner,
                                      std::span<const store::SessionRecord> all_named);

// Removes the remains of a session with a dead host - its file, its socket - and records in the
// run's files that the run has ended. kUsage, and no file is removed, if the host, or a process
// that its run has started (remnants.h), may live: nobody would find it any more. Any other error
// names the file that cannot be read, and so was left as it is.
base::Status remove_dead_session(const std::string& state_dir, const store::SessionRecord& session,
                                 store::Witness witness = store::Witness::kSystem);

}  // namespace orch::client
