#pragma once

#include "base/json_fwd.h"
#include "client/runs.h"
#include "ui/color.h"

namespace orch::cli {

// A run's record as `--json` tells it, with its folder, and what is known of a host that died. One
// that cannot be read has the status "unreadable", and says why.
base::Json run_json(const client::RunView& run);

ui::Color color_of(store::RunStatus status);

}  // namespace orch::cli
