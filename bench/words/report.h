#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "accuracy/report.h"
#include "words/score.h"

namespace orch::words {

struct ScoredRecording {
  std::string agent;
  std::string name;  // "claude/plan-80x24"
  Score score;
};
std::map<std::string, Score> by_agent(std::span<const ScoredRecording> recordings);
Score total_of(std::span<const ScoredRecording> recordings);

// One line for each agent, and the total.
std::string table(std::span<const ScoredRecording> recordings);

// {"total": .., "agents": {NAME: ..}, "recordings": {NAME: ..}, "without_truth": N}, without a line
// feed at the end.
std::string to_json(std::span<const ScoredRecording> recordings, size_t without_truth);

// The `count` recordings with the most missing words and superfluous lines, with the first
// differences of each.
std::string worst(std::span<const ScoredRecording> recordings, size_t count);

// What is required of each agent.
struct Requirement {
  accuracy::Requirement recall;
  size_t repeats = 0, partial = 0;
  double chrome = 1;  // at most this many of 100 lines
};

// The unmet requirements, one line each: "codex: 2 repeats".
std::vector<std::string> shortfalls(std::span<const ScoredRecording> recordings,
                                    const Requirement& requirement);

}  // namespace orch::words
