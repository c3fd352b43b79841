#pragma once

#include <cstdint>
#include <functional>
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
// Of the markers those are looked at that say what is covered (mask/screen.h); the title and the
// timestamp of the header are not.
class Replay {
 public:
  // All must outlive the replay.
  Replay(const store::Cast& cast, const adapters::Manifest& manifest, const detect::RuleSet& rules);
  Replay(store::CastReader& cast, const adapters::Manifest& manifest, const detect::RuleSet& rules);

  // Everything up to and including `ms`, but for what is behind the recording's end; returns what
  // happened since the last call.
  std::vector<ReplayedEvent> run_to(int64_t ms);
  std::vector<ReplayedEvent> run();  // to the end
  // Moment by moment to the end, so that no more is kept than happens at one.
  void run(const std::function<void(const ReplayedEvent&)>& take);
  // Where the replay stands: at most the recording's end, rounded up.
  int64_t now_ms() const { return now_ms_; }

  const driver::AgentView& view() const { return driver_.view(); }

 private:
  // Of the recording: its next event, nullptr behind the last one; and its end, known only then.
  struct Source {
    std::function<const store::CastEvent*()> next;
    std::function<int64_t()> end_us;
  };
  Replay(Source source, const store::CastHeader& header, const adapters::Manifest& manifest,
         const detect::RuleSet& rules);
  bool step(int64_t ms);
  void run_timers(int64_t until);
  void apply(const store::CastEvent& event, int64_t ms);
  void keep(int64_t ms);

  Source source_;
  driver::ScreenDriver driver_;
  const store::CastEvent* next_ = nullptr;  // nullptr: all were applied
  int64_t now_ms_ = 0;
  std::vector<ReplayedEvent> events_;
};

}  // namespace orch::session
