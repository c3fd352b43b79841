#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "pty/process_table.h"
#include "store/session_file.h"

// The processes that a run has started and that live on although its host and the host's guardian
// are gone.
namespace orch::client {

// The processes that belong to the run by their control group, their mark or their ancestors
// (pty/containment.h). None if the session names no run, if its run has ended by itself, if another
// session has that run, or if the processes cannot be seen from here. An error if it is unknown
// whether another session has it.
base::Result<std::vector<pid_t>> remnants_of(const std::string& state_dir,
                                             const store::SessionRecord& session);

enum class Mercy : uint8_t {
  kSome,  // SIGTERM, and 5 s to end
  kNone,  // SIGKILL
};
// Ends these processes, and removes the run's control group. An error names the processes that live
// on, and the remedy. Nothing is signalled for a session whose host may live.
base::Status end_remnants(const std::string& state_dir, const store::SessionRecord& session,
                          Mercy mercy);

// Checks that no process of a run lives on after its end. An error names the processes that do: a
// frozen process, or one that waits for a device, does not react to signals. `session` is its
// record from before, since its file may be gone; `spared` is a process that never counts as the
// run's: its host's guardian.
base::Status check_gone(const std::string& state_dir, const store::SessionRecord& session,
                        pty::ProcessId spared);

}  // namespace orch::client
