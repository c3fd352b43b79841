#include "host/heap.h"

#include <malloc.h>

#include <algorithm>

#include "loop/loop.h"
#include "session/masked_recording.h"

namespace orch::host {
namespace {

[[maybe_unused]] constexpr int kKeptBytes = 1 << 20;
constexpr size_t kFloodBytes = 16 << 10;  // more than any agent draws at once
// By then the session has freed memory that it does not need at rest.
constexpr int64_t kRestMs = session::MaskedRecording::kRestMs + 500;
constexpr int64_t kBeginMs = 3'000 + kRestMs;  // by then most agents have begun to draw
constexpr int64_t kLongestMs = 15'000;         // some session of many may always draw

}  // namespace

void keep_flood_buffers() {
#ifdef __GLIBC__  // musl returns what is freed by itself
  // Setting it keeps glibc from adapting the threshold to freed blocks.
  ::mallopt(M_MMAP_THRESHOLD, kKeptBytes);
#endif
}

void HeapWatch::on_change() { trim_in(kBeginMs); }

void HeapWatch::on_output(size_t bytes) {
  if (bytes >= kFloodBytes || rest_.active()) trim_in(kRestMs);
}

void HeapWatch::trim_in(int64_t wait_ms) {
  const int64_t now = loop_.now_ms();
  if (!rest_.active()) latest_ms_ = now + kLongestMs;
  due_ms_ = std::min(std::max(due_ms_, now + wait_ms), latest_ms_);
  rest_.start(due_ms_ - now, [] {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
  });
}

}  // namespace orch::host
