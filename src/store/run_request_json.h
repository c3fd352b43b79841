#pragma once

#include "base/json.h"
#include "base/json_members.h"
#include "store/run_request.h"

namespace orch::store {

// The object "request" of run.json. Users link nlohmann_json.
base::Json json_of(const RunRequest& request);
void read_request(base::JsonMembers& in, RunRequest& request);

}  // namespace orch::store
