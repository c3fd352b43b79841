#include "duties/pane.h"

#include "mux/pane_duty.h"
#include "ui/error_line.h"

namespace orch::duties {

int run_pane(std::span<const std::string> arguments) {
  if (arguments.size() != 1) return ui::report(base::usage_error("usage: orch internal pane DOOR"));
  return mux::serve_pane(arguments.front());
}

}  // namespace orch::duties
