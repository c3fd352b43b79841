#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orch::ui {

// How one issue fared, for people who look at a job.
struct StepResult {
  std::string session, reason, detail;
  int code = 0, turns = 0;
  int64_t duration_ms = 0;
  std::string run;       // "" when it was not started
  std::string words;     // the agent's last
  std::string question;  // that it stopped at; "" when at none
};

// GitHub takes 1 MiB of a step (docs.github.com, "Adding a job summary").
inline constexpr size_t kMostSummaryBytes = 1 << 20;

// Markdown for $GITHUB_STEP_SUMMARY: a table, and below it words and questions. Whatever the texts
// hold, they stay text: nothing in them is markup, a link or a mention. At most max_bytes.
std::string step_summary(const std::vector<StepResult>& results,
                         size_t max_bytes = kMostSummaryBytes - 1024);

}  // namespace orch::ui
