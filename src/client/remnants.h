#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "pty/process_table.h"
#include "store/session_file.h"

// What a run has started and lives on although its host and its host's guardian are gone.
namespace orch::client {

// The processes that are of the run by its control group, its mark or their family
// (pty/containment.h). None where the session tells of no run, or of one that has ended by itself,
// or that another session holds; nor where its processes cannot be seen from here.
std::vector<pid_t> remnants_of(const std::string& state_dir, const store::SessionRecord& session);

enum class Mercy : uint8_t {
  kSome,  // SIGTERM, and 5 s to follow it
  kNone,  // SIGKILL
};
// Ends them, and removes the run's control group. An error names those that live on, and the
// remedy. Nothing is signalled in the name of a session whose host may live.
base::Status end_remnants(const std::string& state_dir, const store::SessionRecord& session,
                          Mercy mercy);

// That nothing lives on of a run that was ended a moment ago. An error names what does: a frozen
// process, or one that waits for a device, takes no signal. `session` is its record from before,
// since its entry may be gone; `spared` is a process that is never of the run: its host's guardian.
base::Status check_gone(const std::string& state_dir, const store::SessionRecord& session,
                        pty::ProcessId spared);

}  // namespace orch::client
