#include "cli/pane_command.h"

#include "cli/command.h"
#include "pane/pane_duty.h"

namespace orch::cli {

int run_pane(std::span<const std::string> arguments) {
  if (arguments.size() != 1) return report(base::usage_error("usage: orch pane DOOR"));
  return pane::serve_pane(arguments.front());
}

}  // namespace orch::cli
