#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fence/plan.h"

namespace orch::fence {

// The command line of bubblewrap that starts `command` in mount, process and IPC namespaces of its
// own (and in a network namespace if there is to be no network). Everything is read-only except the
// plan's grants, /tmp is the plan's scratch folder, /run and /dev/shm are empty, homes are empty
// except for their visible parts, and secrets and sockets are covered.
std::vector<std::string> in_namespaces(const Plan& plan, const std::vector<std::string>& command);

// The path of bubblewrap (base/own_program.h) if this machine lets it make namespaces; otherwise
// the error says briefly why not. Starts it once to find out, which takes some 5 ms.
base::Result<std::string> find_bubblewrap();

}  // namespace orch::fence
