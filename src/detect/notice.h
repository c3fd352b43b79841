#pragma once

#include <string>

#include "base/time.h"
#include "detect/evidence.h"
#include "detect/rules.h"

namespace orch::detect {

using base::kNever;
using base::TimeMs;

// The last thing that the agent said about itself beside its screen, by a hook or a notification.
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

}  // namespace orch::detect
