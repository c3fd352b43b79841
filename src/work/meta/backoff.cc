#include "meta/backoff.h"

#include <algorithm>

namespace orch::meta {

std::optional<int64_t> delay_ms(const Backoff& backoff, int made, int64_t elapsed_ms,
                                std::optional<int64_t> asked_ms, double random) {
  if (made >= backoff.attempts) return std::nullopt;
  constexpr int kMostDoublings = 20;
  const int64_t grown = backoff.first_ms << std::min(made - 1, kMostDoublings);
  const int64_t most = std::min(grown, backoff.most_ms);
  const int64_t half = most / 2;
  const auto spread = static_cast<int64_t>(static_cast<double>(half) * random);
  const int64_t delay = asked_ms ? *asked_ms + std::min<int64_t>(spread, 1'000) : half + spread;
  if (elapsed_ms + delay >= backoff.total_ms) return std::nullopt;
  return delay;
}

}  // namespace orch::meta
