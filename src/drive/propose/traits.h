#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "event/status.h"

namespace orch::propose {

// A screen, and the agent's status while it was shown.
struct Example {
  int64_t ms = 0;  // since the beginning of its session
  event::AgentStatus status = event::AgentStatus::kIdle;
  std::vector<std::string> rows;  // up to the last one with text
};

// A text or a sign that screens of one status have in their last rows, and no screen of another
// status has there.
struct Trait {
  std::string pattern;  // RE2 over a row
  int rows = 0;         // how many rows from the end
  int seen = 0;         // how many examples of the status have it
  bool operator==(const Trait&) const = default;
};

// The traits of a status: few that fit as many of its examples as possible, the best one first. A
// trait that only one example has, or a few of many, is the model's or the user's word. Without two
// examples of other statuses nothing is known.
std::vector<Trait> traits_of(event::AgentStatus status, const std::vector<Example>& examples);

}  // namespace orch::propose
