#include "cli/notify_command.h"

#include "base/text.h"
#include "cli/command.h"
#include "cli/paths.h"
#include "host/notify_duty.h"
#include "loop/loop.h"
#include "session/environment.h"

namespace orch::cli {
namespace {

constexpr size_t kMaxEventBytes = 64 << 20;

}  // namespace

int run_notify(std::span<const std::string> arguments) {
  if (arguments.size() != 1) return report(base::usage_error("usage: orch notify COMMAND"));
  const base::Result<std::string> events = read_text("-", kMaxEventBytes);
  if (!events) return report(events.error());
  loop::Loop loop;
  host::NotifyDuty duty(loop, arguments.front(), session::own_environment());
  for (const std::string_view event : base::split_lines(*events)) duty.tell(event);
  duty.when_done([&loop] { loop.stop(); });
  loop.run();
  return 0;
}

}  // namespace orch::cli
