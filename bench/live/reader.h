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
  kDiscard,  // the bytes are read, nothing else
  kWatch,    // ... screen, detector and transcript follow them, as in a session
  kRecord,   // ... and they are written to a recording
};

// What one reader made of the whole stream. Counts are of this thread, without the spawn.
struct Passage {
  double cpu_ms = 0, wall_ms = 0;
  uint64_t bytes = 0;
  uint64_t pieces = 0;  // calls of on_output
  uint64_t reads = 0;   // calls of read()
  uint64_t sleeps = 0;  // voluntary context switches
  uint64_t allocations = 0;
};
// Allocations of what follows the stream (screen, detector, transcript) in a time that is set, a
// piece of 4 KB each 10 ms: the same every time, while a passage looks at its screen by the clock.
uint64_t allocations_in_set_time(std::string_view stream, const PassagePlan& plan);

base::Result<Passage> pass_through(ReaderKind kind, const PassagePlan& plan,
                                   const TemporaryFolder& folder);

}  // namespace orch::live
