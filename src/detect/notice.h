#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "detect/evidence.h"
#include "detect/rules.h"

namespace orch::detect {

using base::kNever;
using base::TimeMs;

// Notices of orch's own: a call of the agent's waits for the user's decision, and so the agent
// waits, whatever it draws; or no call waits any more.
inline constexpr std::string_view kCallWaits = "call waits", kCallGoesOn = "call goes on";

// The same for the gateway in front of the model: a request of the agent's turn is under way, or
// none is any more. While one is, the agent is not idle, whatever it draws.
inline constexpr std::string_view kModelAsked = "model asked", kModelAnswered = "model answered";

// The agent's last statement about itself apart from its screen: from a hook, a notification or a
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
// contradicts it until it has stood still for long. A screen without evidence, or with only rows
// that are always drawn, yields to the notice.
Arbitration arbitrate(const Finding& screen, const Notice& notice, const DetectTiming& timing,
                      TimeMs now, TimeMs last_output);

// The evidence of the screen to compare with the agent's report of its own state.
struct Beside {
  TimeMs moved = 0;           // Evidence::moved()
  bool starting = false;      // the agent was never ready yet
  bool came_at_rest = false;  // the report came while the agent was at rest
  bool awaits_work = false;   // it has reported that it waits for the unfinished work on the screen
};
enum class Word : uint8_t {
  kScreen,  // the screen counts
  kReport,  // the report counts
  kWrong,   // the report was not the agent's: it no longer counts
};
struct Judgement {
  Word counts = Word::kScreen;
  TimeMs until = kNever;  // when to decide again, if nothing happens
};

// Decides between the screen and the agent's own report. Reports come at once and have details that
// no row or title has. But a command that the agent runs can write one, too, and the agent does not
// repeat its own. So a report that contradicts the screen counts only while the agent draws nothing
// that refutes it: a report of rest while no sign of work moves, a report of work while something
// does.
Judgement judge_report(const Finding& screen, const Notice& report, const DetectTiming& timing,
                       TimeMs now, const Beside& beside);

}  // namespace orch::detect
