#pragma once

#include <optional>
#include <vector>

#include "host/host.h"
#include "options/run_request.h"

namespace orch::cli {

// The request by which the next agent of --fallback goes on with the issues that have ended at a
// vendor's limit, in the folders where they were; nullopt if there is no such agent or no such
// issue. The agent is given the task, and what the agent before it has done.
std::optional<options::RunRequest> fallback_request(const options::RunRequest& request,
                                                    const std::vector<host::Ended>& ended,
                                                    const std::string& state_dir);

// The ends of all issues: those of `later` in the places of the earlier ones.
std::vector<host::Ended> newest_ends(std::vector<host::Ended> ended,
                                     const std::vector<host::Ended>& later);

}  // namespace orch::cli
