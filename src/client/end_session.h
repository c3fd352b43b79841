#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "store/session_file.h"

namespace orch::client {

enum class Manner : uint8_t {
  kPolitely,  // the host asks the agent to leave
  kAtOnce,    // the host kills it; where no host answers it is done without the host
};

// Ends a session, and returns once it has ended; kNotFound when another run has taken its place.
// One that is queued is taken out of the queue.
// Where its host is gone, what its run has started is looked for and ended (remnants.h); what does
// not end is an error, and the session stays listed.
// Without an answer its host is killed, and the host's guardian ends what it ran - if the pid is
// that host's for certain. A host that serves sessions that are not among `all_named`, those that
// are to end, stays, and the processes of this session alone are killed: then what is left is
// returned as a line.
// Where something of the run lives on nevertheless, that is an error which names it.
base::Result<std::string> end_session(const std::string& state_dir,
                                      const store::SessionRecord& session, Manner manner,
                                      std::span<const store::SessionRecord> all_named);

// Removes what a dead host left of a session - its file, its socket - and has its run's files tell
// that it has ended. False when it may live, or something that its run has started does
// (remnants.h): it would be found by nobody any more.
bool remove_dead_session(const std::string& state_dir, const store::SessionRecord& session,
                         store::Witness witness = store::Witness::kSystem);

}  // namespace orch::client
