#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "accuracy/score.h"

namespace orch::accuracy {

// The result of one recording, or the sum of several.
struct Result {
  Score score;
  double recorded_s = 0;
  double replay_s = 0;  // the processor time of its replay
};
void add(Result& sum, const Result& result);

struct ScoredRecording {
  std::string agent;
  std::string name;  // "claude/plan-80x24"
  Result result;
};
std::map<std::string, Result> by_agent(std::span<const ScoredRecording> recordings);
Result total_of(std::span<const ScoredRecording> recordings);

// One line for each agent, and the total. The last column says how many times faster than real time
// the replay was.
std::string table(std::span<const ScoredRecording> recordings);

// {"total": .., "agents": {NAME: ..}, "recordings": {NAME: ..}}, without a line feed at the end.
std::string to_json(std::span<const ScoredRecording> recordings);

// The `count` longest stretches with a wrong status, one line each.
std::string worst(std::span<const ScoredRecording> recordings, size_t count);

// What is required of each agent: no drop, no miss, no false idle of kLasting or longer, and at
// least this lenient accuracy.
struct Requirement {
  double percent = 100;
  std::map<std::string, double> percent_of;  // agents with another percentage
};

// Parses "99,copilot=95,qwen=97".
base::Result<Requirement> parse_requirement(std::string_view text);

// The unmet requirements, one line each: "codex: 2 drops".
std::vector<std::string> shortfalls(std::span<const ScoredRecording> recordings,
                                    const Requirement& requirement);

}  // namespace orch::accuracy
