#include "host/heap.h"

#include <malloc.h>

#include "session/masked_recording.h"

namespace orch::host {
namespace {

constexpr int kKeptBytes = 1 << 20;
constexpr size_t kFloodBytes = 16 << 10;  // more than any agent draws at once
// By then the session has put away what it does not need at rest.
constexpr int64_t kRestMs = session::MaskedRecording::kRestMs + 500;

}  // namespace

void keep_flood_buffers() {
  // Once it is set, glibc no longer adapts the threshold to what is freed.
  ::mallopt(M_MMAP_THRESHOLD, kKeptBytes);
}

void FloodWatch::on_output(size_t bytes) {
  if (bytes >= kFloodBytes) rest_.start(kRestMs, [] { ::malloc_trim(0); });
}

}  // namespace orch::host
