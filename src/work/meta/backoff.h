#pragma once

#include <cstdint>
#include <optional>

namespace orch::meta {

// How often to retry something that fails for reasons that may pass, and how long to wait between
// the attempts.
struct Backoff {
  int attempts = 6;
  int64_t first_ms = 1'000;  // doubled after each attempt
  int64_t most_ms = 30'000;
  int64_t total_ms = 300'000;  // from the first attempt to the end of the last wait
};

// The wait before the next attempt; nullopt if there should be none. `made` attempts have failed,
// and the first of them began `elapsed_ms` ago. `asked_ms` is the wait that the server asked for
// (Retry-After); the result is never less. `random` in [0, 1) spreads clients that failed at the
// same time.
std::optional<int64_t> delay_ms(const Backoff& backoff, int made, int64_t elapsed_ms,
                                std::optional<int64_t> asked_ms, double random);

}  // namespace orch::meta
