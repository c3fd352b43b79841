#pragma once

#include "store/run_record.h"
#include "ui/color.h"

namespace orch::cli {

// The colour of a run in that state in lists.
ui::Color color_of(store::RunStatus state);

}  // namespace orch::cli
