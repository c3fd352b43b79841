#pragma once

#include <cstdint>
#include <optional>

namespace orch::meta {

// How often something is tried that fails for reasons that may pass, and how long is waited
// between.
struct Backoff {
  int attempts = 6;
  int64_t first_ms = 1'000;  // doubled each time
  int64_t most_ms = 30'000;
  int64_t total_ms = 300'000;  // from the first attempt to the last; a wait does not reach over it
};

// The wait before the next attempt; nothing when there is to be none. `made` attempts have failed,
// the first of which began `elapsed_ms` ago; `asked_ms` is what the server asked for (Retry-After),
// and the wait is never less. `random` in [0, 1) spreads those who failed together.
std::optional<int64_t> delay_ms(const Backoff& backoff, int made, int64_t elapsed_ms,
                                std::optional<int64_t> asked_ms, double random);

}  // namespace orch::meta
