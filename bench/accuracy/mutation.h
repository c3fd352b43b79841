#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "accuracy/literals.h"
#include "accuracy/recordings.h"
#include "accuracy/score.h"
#include "adapters/manifest.h"

namespace orch::accuracy {

// The score of an agent when one literal of its manifest is not drawn any more, or when its screens
// are altered (altered_replay.h); then the literal is the name of the alteration.
struct Mutant {
  std::string literal;
  Score score;
  double fall = 0;       // how much acc_len falls, in percentage points
  bool altered = false;  // an alteration of the screens
};

struct MutatedAgent {
  std::string agent;
  Score whole;                  // the score with every literal
  std::vector<Mutant> mutants;  // sorted by fall, greatest first
};

// Replays the recordings, all of one agent, with the unchanged manifest, then without each literal,
// and then with each alteration of the screens.
base::Result<MutatedAgent> mutate(const adapters::Manifest& manifest,
                                  const std::vector<Recording>& recordings);

// A literal that may cost more than the bounds, and why.
struct Exception {
  std::string agent, literal, why;
};
// Parses JSON lines {"agent":"claude","literal":"[─╌━]","why":"the borders of the input box"}. A
// wrong line is a usage error that gives its number.
base::Result<std::vector<Exception>> parse_exceptions(std::string_view json_lines);

inline constexpr double kMostFall = 1;        // percentage points of acc_len
inline constexpr size_t kMostExceptions = 5;  // per agent

// The violations of the bounds, one line each: a literal without an exception whose loss lets
// acc_len fall by more than kMostFall or causes drops; an exception for a literal that does not
// exist (any more); too many exceptions.
std::vector<std::string> breaches(const MutatedAgent& agent,
                                  const std::vector<Exception>& exceptions);

// One line for each agent, followed by at most `count` of the literals that cost something.
std::string table(const std::vector<MutatedAgent>& agents, size_t count);

// {AGENT: {"acc_len": .., "literals": {LITERAL: {"fall": .., ..}},
// "alterations": {NAME: {..}}}}, with all of both.
std::string to_json(const std::vector<MutatedAgent>& agents);

}  // namespace orch::accuracy
