#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orch::run {

inline constexpr int64_t kDefaultGateTimeoutMs = 10 * 60'000;

// The gates of a run: the user's own shell commands, which must succeed before the run counts as
// done.
struct GatePlan {
  std::vector<std::string> commands;           // run one after the other, until one fails
  int64_t timeout_ms = kDefaultGateTimeoutMs;  // the time limit of each command
  int fix_turns = 0;  // how many failed gates may be reported to the agent, to fix its work
};

// The result of one run of a gate.
struct GateEnd {
  int n = 0;  // the gates of a run are numbered from 1; the output of this one is gates/<n>.log
  std::string command;
  int code = 0;            // the exit code as a shell has it: 128 + n for signal n
  int64_t ms = 0;          // how long the command took
  bool timed_out = false;  // it was killed at the time limit
  std::string output;      // the end of its output, from GateOutput::tail()
  // Why orch could not run the command, which says nothing about the agent's work; "" if it ran.
  std::string trouble = {};
  bool passed() const { return code == 0 && !timed_out && trouble.empty(); }
  bool operator==(const GateEnd&) const = default;
};

// The changes that a run has made to its work directory, as git sees them: files that git ignores
// do not count.
struct Changes {
  std::string unknown;             // why the changes are unknown; "" if they are known
  bool head_moved = false;         // another commit is checked out
  int files = 0;                   // how many files have changed
  std::vector<std::string> paths;  // the paths of some of these files
  bool any() const { return head_moved || files > 0; }
  bool operator==(const Changes&) const = default;
};

}  // namespace orch::run
