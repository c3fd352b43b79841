#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "accuracy/truth.h"
#include "session/replay.h"

namespace orch::accuracy {

inline constexpr size_t kStatusCount = 6;  // the number of AgentStatus values
// In ms: a person would notice an episode, or a truth, of this length.
inline constexpr Ms kLasting = 1000;
inline constexpr Ms kExitGrace = 5000;            // in ms: how late "exited" may be said
inline constexpr size_t kNothing = kStatusCount;  // the column of a Confusion for "nothing said"

// The status that is said from `at` until the next change.
struct Change {
  Ms at = 0;
  AgentStatus status = AgentStatus::kStarting;
  bool operator==(const Change&) const = default;
};

// Successive changes differ in status and in time. Before the first change nothing is said, which
// always counts as wrong.
using Timeline = std::vector<Change>;
Timeline timeline_of(const std::vector<session::ReplayedEvent>& events);

// A stretch of time in which something other than the truth was said; nullopt: nothing was said.
struct Wrong {
  int64_t begin_ms = 0, end_ms = 0;
  AgentStatus truth = AgentStatus::kStarting;
  std::optional<AgentStatus> said;
  bool operator==(const Wrong&) const = default;
};

// Episodes of one kind of wrong status. An episode that goes on while the truth changes counts
// once.
struct Episodes {
  int64_t ms = 0;
  int count = 0;
  int lasting = 0;  // how many of them lasted kLasting or longer
};

// Milliseconds, by [truth][said].
using Confusion = std::array<std::array<int64_t, kStatusCount + 1>, kStatusCount>;

// The metrics of one recording, or the sum of several. The time until the agent's exit is scored,
// without the unsure spans. "Lenient" means: while the truth is error, idle is right, too (both
// take a message), and starting is not scored.
struct Score {
  int recordings = 0;
  int64_t scored_ms = 0;
  Confusion confusion{};
  Episodes false_idle;  // idle, error or exited was said while working or waiting was true
  int drops = 0;        // false idles that began when no such status could be true: a false "done"
  Episodes missed;      // working was said while waiting was true
  Episodes false_wait;  // waiting was said while something else was true
  // Changes of the truth, except those to starting and exited. latency_ms, by status: how long it
  // took to say the new status, from the first moment at which it may have been true. misses:
  // changes whose status was not said in time.
  int changes = 0;
  std::array<std::vector<int64_t>, kStatusCount> latency_ms;
  int misses = 0;
  int short_misses = 0;  // misses of a truth that held for less than kLasting; not in `misses`
  int spurious = 0;      // changes to a status that could not be true
  int exits = 0, exits_seen = 0;
  std::vector<Wrong> wrong;  // by the lenient rule; not summed over recordings
};

Score score(const Truth& truth, const Timeline& timeline);
void add(Score& sum, const Score& score);

// Shares from 0 to 1; nullopt if nothing was scored.
struct Rates {
  std::optional<double> acc;      // the share of the time in which the said status was true
  std::optional<double> acc_len;  // the same by the lenient rule
  std::optional<double> bal_acc;  // the mean of that share over the true statuses
  std::optional<double> bal_len;  // the same by the lenient rule
};
Rates rates(const Confusion& confusion);

// The percentile by nearest rank; nullopt without values. 0 < percent <= 100.
std::optional<int64_t> percentile(std::vector<int64_t> values, size_t percent);

inline double seconds(int64_t ms) { return static_cast<double>(ms) / 1000; }

}  // namespace orch::accuracy
