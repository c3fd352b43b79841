#include "duties/init.h"

#include <unistd.h>

#include "pty/init_duty.h"
#include "ui/error_line.h"

namespace orch::duties {

int run_init(std::span<const std::string> arguments) {
  const std::optional<pty::InitOrder> order = pty::order_in(arguments);
  if (!order) return ui::report(base::usage_error("usage: orch internal init CWD -- COMMAND..."));
  pty::serve_as_init(STDIN_FILENO, STDOUT_FILENO, *order);
  return 0;
}

}  // namespace orch::duties
