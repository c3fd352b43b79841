#pragma once

#include <string>

#include "base/time.h"
#include "detect/evidence.h"
#include "detect/rules.h"

namespace orch::detect {

using base::kNever;
using base::TimeMs;

// What the agent last said of itself.
struct Notice {
  const NoticeRule* rule = nullptr;  // of the RuleSet
  std::string text;
  TimeMs at = 0;
};

// Whether a notice decides in place of the screen, and until when this holds if nothing happens.
struct Arbitration {
  bool notice_decides = false;
  TimeMs until = kNever;
};

// Either alone is enough; where they differ, age decides. An interface at work moves, so it
// overrules a notice that says otherwise until it has stood still for long. A screen that says
// nothing, or only what is always drawn, yields to the notice.
Arbitration arbitrate(const Finding& screen, const Notice& notice, const DetectTiming& timing,
                      TimeMs now, TimeMs last_output);

}  // namespace orch::detect
