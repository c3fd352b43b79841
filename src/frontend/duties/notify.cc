#include "duties/notify.h"

#include "base/text.h"
#include "host/notify_duty.h"
#include "loop/loop.h"
#include "session/environment.h"
#include "setup/paths.h"
#include "ui/error_line.h"

namespace orch::duties {
namespace {

constexpr size_t kMaxEventBytes = 64 << 20;

}  // namespace

int run_notify(std::span<const std::string> arguments) {
  if (arguments.size() != 1)
    return ui::report(base::usage_error("usage: orch internal notify COMMAND"));
  const base::Result<std::string> events = setup::read_text("-", kMaxEventBytes);
  if (!events) return ui::report(events.error());
  loop::Loop loop;
  host::NotifyDuty duty(loop, arguments.front(), session::own_environment());
  for (const std::string_view event : base::split_lines(*events)) duty.tell(event);
  duty.when_done([&loop] { loop.stop(); });
  loop.run();
  return 0;
}

}  // namespace orch::duties
