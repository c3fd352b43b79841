#include "cli/init_command.h"

#include <unistd.h>

#include "cli/command.h"
#include "pty/init_duty.h"

namespace orch::cli {

int run_init(std::span<const std::string> arguments) {
  const std::optional<pty::InitOrder> order = pty::order_in(arguments);
  if (!order) return report(base::usage_error("usage: orch init CWD -- COMMAND..."));
  pty::serve_as_init(STDIN_FILENO, STDOUT_FILENO, *order);
  return 0;
}

}  // namespace orch::cli
