#pragma once

#include "base/json_fwd.h"
#include "store/run_request.h"

namespace orch::store {

// The object "request" of run.json. Users link nlohmann_json.
base::Json json_of(const RunRequest& request);
void read_request(base::JsonMembers& in, RunRequest& request);

}  // namespace orch::store
