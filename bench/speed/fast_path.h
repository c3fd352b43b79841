#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "detect/rules.h"
#include "speed/streams.h"

namespace orch::speed {

// The rows that a detector would search while it follows an agent's recordings: each row with a new
// text.
std::vector<std::string> changed_rows(const AgentRecordings& recordings,
                                      const detect::RuleSet& rules);

// The cost of searching such rows for the rules' patterns, with and without looking first for the
// literals that the patterns require.
struct FastPath {
  std::string agent;
  size_t patterns = 0;
  size_t without_literals = 0;  // patterns that require no literal
  size_t rows = 0;
  size_t reached = 0;                  // rows for which an expression had to be tried
  double with_ns = 0, without_ns = 0;  // CPU time per row
};
FastPath search_rows(const AgentRecordings& recordings, const detect::RuleSet& rules, int rounds);

// Searches every row `times` times in one way, so that instructions can be counted.
enum class Search : uint8_t { kLiteralsFirst, kExpressionsOnly };
void search_once(const std::vector<std::string>& rows, const detect::RuleSet& rules, Search how,
                 int times);

std::string table_of(const std::vector<FastPath>& agents);

}  // namespace orch::speed
