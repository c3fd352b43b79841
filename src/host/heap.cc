#include "host/heap.h"

#include <malloc.h>

namespace orch::host {
namespace {

constexpr int kKeptBytes = 1 << 20;
constexpr size_t kFloodBytes = 16 << 10;  // no agent draws as much at once
constexpr int64_t kRestMs = 1000;

}  // namespace

void keep_flood_buffers() {
  // Set by hand, glibc no longer adapts it to what is freed.
  ::mallopt(M_MMAP_THRESHOLD, kKeptBytes);
}

void FloodWatch::on_output(size_t bytes) {
  if (bytes >= kFloodBytes) rest_.start(kRestMs, [] { ::malloc_trim(0); });
}

}  // namespace orch::host
