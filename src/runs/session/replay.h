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
// resizes and typed input at their times, timers in between and up to the end of the recording. Of
// its markers it obeys only the ones that cover cells (mask/screen.h); it ignores the header's
// title and timestamp.
class Replay {
 public:
  // The cast, manifest and rules must outlive the replay.
  Replay(const store::Cast& cast, const adapters::Manifest& manifest, const detect::RuleSet& rules);
  Replay(store::CastReader& cast, const adapters::Manifest& manifest, const detect::RuleSet& rules);
  ~Replay();

  // Replays everything up to and including `ms`, but never past the end of the recording. Returns
  // the events since the last call.
  std::vector<ReplayedEvent> run_to(int64_t ms);
  std::vector<ReplayedEvent> run();  // to the end
  // Replays to the end and hands out the events at each moment, so that they do not all have to be
  // kept.
  void run(const std::function<void(const ReplayedEvent&)>& take);
  // How far it has replayed: at most the end of the recording, rounded up.
  int64_t now_ms() const { return now_ms_; }

  const driver::AgentView& view() const { return driver_.view(); }
  // What the dialog on the screen asks for, while the agent waits.
  agent::DialogRequest dialog() const;

 private:
  // Hands out the recording's events one by one, nullptr after the last; the end is known only
  // then.
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
  const store::CastEvent* next_ = nullptr;  // nullptr: all events have been applied
  int64_t now_ms_ = 0;
  std::vector<ReplayedEvent> events_;
};

}  // namespace orch::session
