#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orch::run {

inline constexpr int64_t kDefaultGateTimeoutMs = 10 * 60'000;

// A command that has to succeed before a run counts as done. It is its user's own shell line.
struct GatePlan {
  std::vector<std::string> commands;           // one after the other, up to the first that fails
  int64_t timeout_ms = kDefaultGateTimeoutMs;  // of each
  int fix_turns = 0;  // so often the agent is told of one that failed, to go on from there
};

// What became of one run of a gate.
struct GateEnd {
  int n = 0;  // counts the run's gates, from 1: its output is gates/<n>.log
  std::string command;
  int code = 0;  // as a shell tells it: 128 + n for a signal
  int64_t ms = 0;
  bool timed_out = false;
  std::string output;  // the end of it, as GateOutput::tail() gives it
  // Why orch could not run it, which says nothing of the agent's work; "": it ran.
  std::string trouble = {};
  bool passed() const { return code == 0 && !timed_out && trouble.empty(); }
  bool operator==(const GateEnd&) const = default;
};

// What a run has changed, as far as git would say so: files that it ignores do not count.
struct Changes {
  // Why it cannot be told; "" where it can.
  std::string unknown;
  bool head_moved = false;         // another commit is checked out
  int files = 0;                   // of the work directory, that are not as they were
  std::vector<std::string> paths;  // some of them
  bool any() const { return head_moved || files > 0; }
  bool operator==(const Changes&) const = default;
};

}  // namespace orch::run
