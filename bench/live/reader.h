#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "live/passage.h"
#include "live/temporary_folder.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/pty.h"

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
// The allocations of screen, detector and transcript in simulated time, with a piece of 4 KB every
// 10 ms. The result is always the same, while a real passage looks at its screen by the clock.
uint64_t allocations_in_set_time(std::string_view stream, const PassagePlan& plan);

base::Result<Passage> pass_through(ReaderKind kind, const PassagePlan& plan,
                                   const TemporaryFolder& folder);

}  // namespace orch::live
