#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "accuracy/literals.h"
#include "accuracy/recordings.h"
#include "accuracy/score.h"
#include "adapters/manifest.h"

namespace orch::accuracy {

// What becomes of an agent's figures when one literal of its manifest is not drawn any more.
struct Mutant {
  std::string literal;
  Score score;
  double fall = 0;  // of acc_len, in points of a hundred
};

struct MutatedAgent {
  std::string agent;
  Score whole;                  // with every literal
  std::vector<Mutant> mutants;  // the greatest fall first
};

// Replays the recordings, all of one agent, once with the manifest as it is and once per literal.
base::Result<MutatedAgent> mutate(const adapters::Manifest& manifest,
                                  const std::vector<Recording>& recordings);

// Literals that may cost more than the bounds, and why.
struct Exception {
  std::string agent, literal, why;
};
// JSON lines {"agent":"claude","literal":"[─╌━]","why":"the borders of the input box"}. A bad line
// is a usage error that gives its number.
base::Result<std::vector<Exception>> parse_exceptions(std::string_view json_lines);

inline constexpr double kMostFall = 1;        // points of acc_len
inline constexpr size_t kMostExceptions = 5;  // per agent

// What breaks a bound, a line each: a literal without exception that lets acc_len fall by more than
// kMostFall or drops appear, an exception for what is no literal (any more), too many of them.
std::vector<std::string> breaches(const MutatedAgent& agent,
                                  const std::vector<Exception>& exceptions);

// A line per agent and the literals that cost something, at most `count` of an agent.
std::string table(const std::vector<MutatedAgent>& agents, size_t count);

// {AGENT: {"acc_len": .., "literals": {LITERAL: {"fall": .., ..}}}}, all literals.
std::string to_json(const std::vector<MutatedAgent>& agents);

}  // namespace orch::accuracy
