#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orch::ui {

// The end of one issue, for readers of a CI job.
struct StepResult {
  std::string session, reason, detail;
  int code = 0, turns = 0;
  int64_t duration_ms = 0;
  std::string run;       // "" when the issue was not started
  std::string words;     // the agent's last words
  std::string question;  // the question that the agent stopped at; "" if none
};

// GitHub accepts 1 MiB for each step (docs.github.com, "Adding a job summary").
inline constexpr size_t kMostSummaryBytes = 1 << 20;

// Markdown for $GITHUB_STEP_SUMMARY: a table, and below it the agents' words and questions. The
// texts stay text whatever they hold: nothing in them becomes markup, a link or a mention. At most
// max_bytes.
std::string step_summary(const std::vector<StepResult>& results,
                         size_t max_bytes = kMostSummaryBytes - 1024);

}  // namespace orch::ui
