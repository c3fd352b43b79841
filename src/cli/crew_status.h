#pragma once

#include <optional>
#include <string>

#include "ui/color.h"

namespace orch::cli {

struct CrewStatusOptions {
  bool watch = false, json = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

// orch crew status: prints a table or JSON, or shows live screens; returns the exit code.
int crew_status(const CrewStatusOptions& options);

}  // namespace orch::cli
