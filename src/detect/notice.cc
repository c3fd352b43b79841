#include "detect/notice.h"

#include <algorithm>

namespace orch::detect {

using event::AgentStatus;

Arbitration arbitrate(const Finding& screen, const Notice& notice, const DetectTiming& timing,
                      TimeMs now, TimeMs last_output) {
  constexpr Arbitration kScreen{.notice_decides = false, .until = kNever};
  constexpr Arbitration kNotice{.notice_decides = true, .until = kNever};
  const TimeMs quiet_since = std::max(last_output, notice.at);
  const auto after_quiet = [quiet_since, now, kNotice](TimeMs ms) {
    const TimeMs at = quiet_since + ms;
    return now >= at ? kNotice : Arbitration{.notice_decides = false, .until = at};
  };
  const bool silent = screen.rule == nullptr;
  const bool at_work = !silent && screen.status == AgentStatus::kWorking;
  if (!silent && screen.status == AgentStatus::kWaiting) return kScreen;
  switch (notice.rule->status) {
    case AgentStatus::kWorking: {
      if (silent) return kNotice;
      if (at_work || !screen.rule->weak) return kScreen;
      const TimeMs until = quiet_since + timing.notice_rests_ms;
      return now < until ? Arbitration{.notice_decides = true, .until = until} : kScreen;
    }
    case AgentStatus::kWaiting:
      if (screen.typed) return kScreen;  // a dialog takes the input box's place
      return at_work ? after_quiet(timing.notice_quiet_ms) : kNotice;
    case AgentStatus::kError:
      if (!silent && !at_work) return screen.status == AgentStatus::kIdle ? kNotice : kScreen;
      [[fallthrough]];
    case AgentStatus::kIdle:
      if (silent) return after_quiet(timing.notice_idle_ms);
      return at_work ? after_quiet(timing.notice_quiet_ms) : kScreen;
    case AgentStatus::kStarting:
    case AgentStatus::kExited:
      return kScreen;
  }
  return kScreen;
}

}  // namespace orch::detect
