#pragma once

#include "base/json_fwd.h"
#include "client/runs.h"
#include "ui/color.h"

namespace orch::cli {

// A run's record as JSON, with its folder and whether its host died. A record that cannot be read
// has the status "unreadable" and a reason.
base::Json run_json(const client::RunView& run);

ui::Color color_of(store::RunStatus status);

}  // namespace orch::cli
