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
  // A hook reports the end of a turn, but not of the work that the turn has left in the background.
  if (screen.cause == event::Cause::kBackground) return kScreen;
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

namespace {

constexpr Judgement kScreenCounts{.counts = Word::kScreen, .until = kNever};
constexpr Judgement kReportCounts{.counts = Word::kReport, .until = kNever};

// Returns `then` from `at` on, and `first` before.
Judgement from(TimeMs at, TimeMs now, Word first, Word then) {
  if (now >= at) return {.counts = then, .until = kNever};
  return {.counts = first, .until = at};
}

// The screen shows work, but the report says rest.
Judgement judge_rest(const Finding& screen, const Notice& report, const DetectTiming& timing,
                     TimeMs now, const Beside& beside) {
  if (screen.cause == event::Cause::kBackground) {
    return beside.awaits_work || !screen.rule->weak ? kScreenCounts : kReportCounts;
  }
  const bool goes_on = beside.moved >= report.at + timing.report_wrong_ms;
  if (goes_on && !screen.rule->weak) return {.counts = Word::kWrong, .until = kNever};
  return from(std::max(beside.moved, report.at) + timing.notice_quiet_ms, now, Word::kScreen,
              Word::kReport);
}

}  // namespace

Judgement judge_report(const Finding& screen, const Notice& report, const DetectTiming& timing,
                       TimeMs now, const Beside& beside) {
  const bool silent = screen.rule == nullptr;
  if (!silent && screen.status == AgentStatus::kWaiting) return kScreenCounts;
  const bool at_work = !silent && screen.status == AgentStatus::kWorking;
  switch (report.rule->status) {
    case AgentStatus::kWorking:
      if (silent) return kReportCounts;
      if (at_work) return kScreenCounts;
      return from(std::max(beside.moved, report.at) + timing.notice_rests_ms, now, Word::kReport,
                  Word::kWrong);
    case AgentStatus::kWaiting:
      if (at_work) {
        const Judgement rest = judge_rest(screen, report, timing, now, beside);
        // A dialog takes the input box's place.
        return rest.counts == Word::kReport && screen.typed ? kScreenCounts : rest;
      }
      if (!silent && screen.status == AgentStatus::kError) return kScreenCounts;
      // But its options may look like a box. Only an agent at work asks.
      return screen.typed && beside.came_at_rest ? kScreenCounts : kReportCounts;
    case AgentStatus::kError:
    case AgentStatus::kIdle:
      if (at_work) return judge_rest(screen, report, timing, now, beside);
      if (silent) {
        return beside.starting ? kScreenCounts
                               : from(std::max(beside.moved, report.at) + timing.notice_idle_ms,
                                      now, Word::kScreen, Word::kReport);
      }
      return screen.status == AgentStatus::kIdle && report.rule->status == AgentStatus::kError
                 ? kReportCounts
                 : kScreenCounts;
    case AgentStatus::kStarting:
    case AgentStatus::kExited:
      return kScreenCounts;
  }
  return kScreenCounts;
}

}  // namespace orch::detect
