#include "engine/job_state.h"

#include <catch2/catch.hpp>

using namespace orch::engine;

namespace {

IssueFiles files_with(int attempts, std::optional<AttemptResult> result, bool verdict) {
  IssueFiles files;
  files.attempts = attempts;
  files.result = std::move(result);
  files.result_of = files.result ? attempts : 0;
  if (verdict) files.verdict = attempts;
  return files;
}

Job judged(const IssueFiles& files, std::optional<EngineState> state, bool asked = true) {
  const EngineJob job{.index = 0,
                      .id = "1_0",
                      .state = state.value_or(EngineState::kOther),
                      .word = "WORD",
                      .why = ""};
  return judge_job(0, "7", "/a", files, {.asked = asked, .jobs = {}}, state ? &job : nullptr);
}

const AttemptResult kComplete{.reason = "complete", .code = 0};
const AttemptResult kGate{.reason = "gate_failed", .code = 20};
const AttemptResult kTerminated{.reason = "terminated", .code = 143};
const AttemptResult kLimit{.reason = "retry_later", .code = 75};

}  // namespace

TEST_CASE("a verdict stands, whatever the engine says") {
  for (const auto state : {EngineState::kRuns, EngineState::kCancelled, EngineState::kNodeLost}) {
    CHECK(judged(files_with(1, kComplete, true), state).state == JobState::kCompleted);
    CHECK(judged(files_with(2, kGate, true), state).code == 20);
  }
  CHECK(judged(files_with(1, kComplete, true), std::nullopt, false).state == JobState::kCompleted);
}

TEST_CASE("no engine's word makes a job complete") {
  for (int word = 0; word <= static_cast<int>(EngineState::kOther); ++word) {
    const auto state = static_cast<EngineState>(word);
    for (const IssueFiles& files :
         {files_with(0, std::nullopt, false), files_with(1, std::nullopt, false),
          files_with(1, kComplete, false), files_with(1, kTerminated, false)}) {
      const Job job = judged(files, state);
      CHECK(job.state != JobState::kCompleted);
      if (is_over(job.state)) CHECK(job.code != 0);
    }
  }
}

TEST_CASE("a job without a verdict is told as what became of it") {
  CHECK(judged(files_with(1, std::nullopt, false), std::nullopt).state == JobState::kVanished);
  CHECK(judged(files_with(1, std::nullopt, false), std::nullopt).code == 125);
  CHECK(judged(files_with(1, std::nullopt, false), EngineState::kNodeLost).state ==
        JobState::kVanished);
  CHECK(judged(files_with(0, std::nullopt, false), EngineState::kCancelled).state ==
        JobState::kCancelled);
  CHECK(judged(files_with(1, kTerminated, false), EngineState::kEnded).state ==
        JobState::kCancelled);
  CHECK(judged(files_with(1, kTerminated, false), EngineState::kTimeLimit).reason == "timeout");
  CHECK(judged(files_with(1, kLimit, false), EngineState::kWaits).state == JobState::kQueued);
  CHECK(judged(files_with(1, kLimit, false), EngineState::kEnded).code == 75);
  CHECK(judged(files_with(1, std::nullopt, false), std::nullopt, false).state ==
        JobState::kUnknown);
  // A result of an earlier attempt says nothing about a later one that told none.
  IssueFiles later = files_with(2, kLimit, false);
  later.result_of = 1;
  CHECK(judged(later, EngineState::kNodeLost).state == JobState::kVanished);
}
