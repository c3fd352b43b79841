#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "accuracy/truth.h"
#include "session/replay.h"

namespace orch::accuracy {

inline constexpr size_t kStatusCount = 6;  // of AgentStatus
inline constexpr Ms kLasting = 1000;       // an episode or a truth that a person would notice
inline constexpr Ms kExitGrace = 5000;     // how late "exited" may be said
inline constexpr size_t kNothing = kStatusCount;  // the column of a Confusion for nothing said

// What is said from `at` until the next change.
struct Change {
  Ms at = 0;
  AgentStatus status = AgentStatus::kStarting;
  bool operator==(const Change&) const = default;
};

// Neighbours differ in status and in time. Before the first one nothing is said, which is never
// right.
using Timeline = std::vector<Change>;
Timeline timeline_of(const std::vector<session::ReplayedEvent>& events);

// A stretch in which something else than the truth was said. None: nothing was.
struct Wrong {
  int64_t begin_ms = 0, end_ms = 0;
  AgentStatus truth = AgentStatus::kStarting;
  std::optional<AgentStatus> said;
  bool operator==(const Wrong&) const = default;
};

// Episodes of one kind of wrong status. One that goes on over a change of the truth is one.
struct Episodes {
  int64_t ms = 0;
  int count = 0;
  int lasting = 0;  // of kLasting or more
};

// [truth][said], milliseconds.
using Confusion = std::array<std::array<int64_t, kStatusCount + 1>, kStatusCount>;

// The metrics of one recording or the sum of several. Scored is the time that is not unsure, until
// the agent exited. "Lenient": where error is true idle is right too (both take a message), and
// starting is not scored.
struct Score {
  int recordings = 0;
  int64_t scored_ms = 0;
  Confusion confusion{};
  Episodes false_idle;  // idle, error or exited said while working or waiting is true
  int drops = 0;    // those of them that began where no such status could be true: a false "done"
  Episodes missed;  // working said while waiting is true
  Episodes false_wait;  // waiting said while something else is true
  // Changes of the truth, but for those to starting and exited; how long after the first moment at
  // which the new status may be true it was said, by that status; and those never said in time.
  int changes = 0;
  std::array<std::vector<int64_t>, kStatusCount> latency_ms;
  int misses = 0;
  int short_misses = 0;  // of a truth that was certain for less than kLasting; not in `misses`
  int spurious = 0;      // changes into a status that could not be true
  int exits = 0, exits_seen = 0;
  std::vector<Wrong> wrong;  // lenient; one recording's only
};

Score score(const Truth& truth, const Timeline& timeline);
void add(Score& sum, const Score& score);

// Shares from 0 to 1; absent where nothing was scored.
struct Rates {
  std::optional<double> acc;      // of the time in which what was said is true
  std::optional<double> acc_len;  // the same, lenient
  std::optional<double> bal_acc;  // mean of the shares per true status
  std::optional<double> bal_len;  // the same, lenient
};
Rates rates(const Confusion& confusion);

// Nearest rank; absent when there are no values. 0 < percent <= 100.
std::optional<int64_t> percentile(std::vector<int64_t> values, size_t percent);

}  // namespace orch::accuracy
