#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "detect/evidence.h"
#include "detect/rules.h"

namespace orch::detect {

using base::kNever;
using base::TimeMs;

// Notices of orch's own: a call of the agent's waits for a person's decision, and so the agent
// waits, whatever it draws; none does any more.
inline constexpr std::string_view kCallWaits = "call waits", kCallGoesOn = "call goes on";

// The last thing that the agent said about itself beside its screen, by a hook, a notification or a
// report of its state.
struct Notice {
  const NoticeRule* rule = nullptr;  // points into the RuleSet
  std::string text;
  TimeMs at = 0;
};

// Whether the notice decides instead of the screen, and until when that holds if nothing happens.
struct Arbitration {
  bool notice_decides = false;
  TimeMs until = kNever;
};

// Decides between the screen and a notice. Either of them alone is enough; if they contradict each
// other, time decides. The screen of a working agent keeps moving, so it overrules a notice that
// says otherwise until it has stood still for long. A screen that says nothing, or shows only what
// is always drawn, yields to the notice.
Arbitration arbitrate(const Finding& screen, const Notice& notice, const DetectTiming& timing,
                      TimeMs now, TimeMs last_output);

// What the screen says beside the agent's report of its own state.
struct Beside {
  TimeMs moved = 0;           // Evidence::moved()
  bool starting = false;      // the agent was never ready yet
  bool came_at_rest = false;  // the report did
  bool awaits_work = false;  // it has said that it waits for what the screen shows to be unfinished
};
enum class Word : uint8_t {
  kScreen,  // the screen counts
  kReport,  // the report counts
  kWrong,   // the report was not the agent's: it counts no more
};
struct Judgement {
  Word counts = Word::kScreen;
  TimeMs until = kNever;  // when that has to be decided again, if nothing happens
};

// Decides between the screen and the agent's own report. Reports come at once and say what no row
// and no title says. But a command that the agent runs can write one, too, and the agent does not
// repeat its own. So a report that contradicts the screen counts only while the agent draws nothing
// that refutes it: one of rest while no sign of work moves, one of work while something does.
Judgement judge_report(const Finding& screen, const Notice& report, const DetectTiming& timing,
                       TimeMs now, const Beside& beside);

}  // namespace orch::detect
