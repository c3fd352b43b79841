#pragma once

#include "store/run_record.h"
#include "ui/color.h"

namespace orch::cli {

// The colour in which lists show that a run stands so.
ui::Color color_of(store::RunStatus state);

}  // namespace orch::cli
