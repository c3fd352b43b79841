#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/attempt.h"

namespace orch::engine {

// How a job stands in its engine.
enum class EngineState : uint8_t {
  kWaits,  // for room, or for the time of its next beginning
  kRuns,
  kEnded,      // by itself, however
  kCancelled,  // somebody asked for its end
  kTimeLimit,  // the engine's limit of time ended it
  kNodeLost,   // the engine lost its node, and does not begin it again
  kOther,      // a word that this orch does not know
};

// The engine's answer about the job of an issue. The words are the engine's own.
struct EngineJob {
  size_t index = 0;
  std::string id;  // the engine's name for it: "123_4", a pod's name
  EngineState state = EngineState::kOther;
  std::string word;  // "PENDING"
  std::string why;   // why it waits; ""
  // The job's own report to the engine at its end, where an engine carries that.
  std::optional<AttemptResult> verdict = {};
  bool operator==(const EngineJob&) const = default;
};

// A job's state, as `orch jobs` prints it.
enum class JobState : uint8_t {
  kQueued,
  kRunning,
  kCompleted,  // its verdict is 0
  kFailed,     // its verdict is another
  kCancelled,
  kVanished,  // it is nowhere any more, and has published no verdict
  kUnknown,   // the engine could not be asked, and there is no verdict yet
};
std::string_view name(JobState state);
bool is_over(JobState state);

struct Job {
  size_t index = 0;
  std::string issue;
  JobState state = JobState::kUnknown;
  std::string reason;  // a word of the table of exit codes; "" while there is none
  int code = 0;        // with a reason
  std::string detail;
  std::string run;
  int attempts = 0;
  std::string engine_word;  // "RUNNING"; "" if it knows none
  std::string engine_why;   // why it waits, in the engine's words; ""
  std::string artifacts;    // the folder of the attempt whose result is reported; "" if there is
                            // none
  std::optional<int64_t> ms;
  std::optional<int> turns;
  bool operator==(const Job&) const = default;
};

// The engine's answer, if it gave one.
struct EngineAnswer {
  bool asked = false;           // false: it could not be asked
  std::vector<EngineJob> jobs;  // the ones that it knows
};

// Makes one truth of the files and the engine. Only result.json makes a verdict; without one an
// engine's word only says why it is missing, and is never taken for success.
Job judge_job(size_t index, const std::string& issue, const std::string& artifacts,
              const IssueFiles& files, const EngineAnswer& answer, const EngineJob* job);

}  // namespace orch::engine
