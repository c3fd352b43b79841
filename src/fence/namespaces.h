#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fence/plan.h"

namespace orch::fence {

// The command line that starts `command` in mount, process and IPC namespaces of its own (and of
// the network when there is to be none), by bubblewrap: everything is read-only but what the plan
// grants, /tmp is the plan's scratch folder, /run and /dev/shm are empty, secrets and sockets are
// covered.
std::vector<std::string> in_namespaces(const Plan& plan, const std::vector<std::string>& command);

// bubblewrap (base/own_program.h), if this machine lets it make namespaces; otherwise the error
// says why not, in a few words. Starts it once, some 5 ms.
base::Result<std::string> find_bubblewrap();

}  // namespace orch::fence
