#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "driver/screen_driver.h"
#include "event/event.h"
#include "store/cast.h"
#include "store/cast_reader.h"

namespace orch::session {

struct ReplayedEvent {
  int64_t ms = 0;
  event::Event event;
};

// Runs a recording through the Screen driver as if it happened now, without waiting: output,
// resizes and typed input with their times, timers in between and on to the recording's end.
// Markers, the title and the timestamp of the header are not looked at.
class Replay {
 public:
  // All must outlive the replay.
  Replay(const store::Cast& cast, const adapters::Manifest& manifest, const detect::RuleSet& rules);

  // Everything up to and including `ms`; returns what happened since the last call.
  std::vector<ReplayedEvent> run_to(int64_t ms);
  std::vector<ReplayedEvent> run();  // to the end

  const driver::AgentView& view() const { return driver_.view(); }

 private:
  void run_timers(int64_t until);
  void apply(const store::CastEvent& event, int64_t ms);
  void keep(int64_t ms);

  const store::Cast& cast_;
  driver::ScreenDriver driver_;
  size_t next_ = 0;
  std::vector<ReplayedEvent> events_;
};

}  // namespace orch::session
