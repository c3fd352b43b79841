#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "accuracy/score.h"

namespace orch::accuracy {

// One recording's result, or the sum of several.
struct Result {
  Score score;
  double recorded_s = 0;
  double replay_s = 0;  // the processor time that its replay took
};
void add(Result& sum, const Result& result);

struct ScoredRecording {
  std::string agent;
  std::string name;  // "claude/plan-80x24"
  Result result;
};
std::map<std::string, Result> by_agent(std::span<const ScoredRecording> recordings);
Result total_of(std::span<const ScoredRecording> recordings);

// A line per agent and the total; a last column has how many times faster than it was recorded the
// replay went.
std::string table(std::span<const ScoredRecording> recordings);

// {"total": .., "agents": {NAME: ..}, "recordings": {NAME: ..}}, without a line feed at the end.
std::string to_json(std::span<const ScoredRecording> recordings);

// The `count` longest wrong stretches, a line each.
std::string worst(std::span<const ScoredRecording> recordings, size_t count);

// What an agent must keep to: no drop, no miss, no false idle of kLasting or more, and at least so
// much lenient accuracy.
struct Requirement {
  double percent = 100;
  std::map<std::string, double> percent_of;  // agents for which it is another
};

// "99,copilot=95,qwen=97".
base::Result<Requirement> parse_requirement(std::string_view text);

// What falls short, a line each: "codex: 2 drops".
std::vector<std::string> shortfalls(std::span<const ScoredRecording> recordings,
                                    const Requirement& requirement);

}  // namespace orch::accuracy
