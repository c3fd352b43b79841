#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "detect/rules.h"
#include "speed/streams.h"

namespace orch::speed {

// The rows that a detector searched while it followed an agent's recordings, each time that one
// had a new text.
std::vector<std::string> changed_rows(const AgentRecordings& recordings,
                                      const detect::RuleSet& rules);

// What it costs to search such rows for the rules' patterns, with the literals that the patterns
// require looked for first, and without.
struct FastPath {
  std::string agent;
  size_t patterns = 0;
  size_t without_literals = 0;  // patterns that require none
  size_t rows = 0;
  size_t reached = 0;                  // rows that reached an expression
  double with_ns = 0, without_ns = 0;  // CPU time a row
};
FastPath search_rows(const AgentRecordings& recordings, const detect::RuleSet& rules, int rounds);

// Every changed row searched `times` over, in one way: to count instructions.
enum class Search : uint8_t { kLiteralsFirst, kExpressionsOnly };
void search_once(const std::vector<std::string>& rows, const detect::RuleSet& rules, Search how,
                 int times);

std::string table_of(const std::vector<FastPath>& agents);

}  // namespace orch::speed
