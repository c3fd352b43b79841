#include "duties/pane.h"

#include "pane/pane_duty.h"
#include "ui/error_line.h"

namespace orch::duties {

int run_pane(std::span<const std::string> arguments) {
  if (arguments.size() != 1) return ui::report(base::usage_error("usage: orch pane DOOR"));
  return pane::serve_pane(arguments.front());
}

}  // namespace orch::duties
