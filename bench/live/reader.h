#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "driver/agent_view.h"
#include "live/passage.h"
#include "live/temporary_folder.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/pty.h"
#include "store/cast_writer.h"

namespace orch::live {

enum class ReaderKind : uint8_t {
  kDiscard,  // only reads the bytes
  kWatch,    // also feeds screen, detector and transcript, as a session does
  kRecord,   // also writes a recording
};

// What one reader used for the whole stream. Counts are of this thread, without the spawn.
struct Passage {
  double cpu_ms = 0, wall_ms = 0;
  uint64_t bytes = 0;
  uint64_t pieces = 0;  // how often on_output() was called
  uint64_t reads = 0;   // calls of read()
  uint64_t sleeps = 0;  // voluntary context switches
  uint64_t allocations = 0;
};
// Shows the stream to screen, detector and transcript in simulated time, a piece of 4 KB every 10
// ms. What this takes is always the same, while a real passage looks at its screen by the clock.
class SetTime {
 public:
  // `recording` is null if nothing is recorded.
  SetTime(const PassagePlan& plan, std::unique_ptr<store::Recording> recording);
  void pass(std::string_view stream);

 private:
  driver::AgentView view_;
  std::unique_ptr<store::Recording> recording_;
  base::TimeMs now_ = 0;
};

base::Result<Passage> pass_through(ReaderKind kind, const PassagePlan& plan,
                                   const TemporaryFolder& folder);

}  // namespace orch::live
