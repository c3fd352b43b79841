#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/line.h"

namespace orch::driver {

// The lines of a turn on their way to whoever reads them. They pass at once, until some are missing
// (Line::gap): what follows is held back until the turn is over, for the agent's own record may then
// say what was missing. A gap that it does not bridge is told as one.
class TurnWords {
 public:
  // Lines in, lines to tell now out.
  std::vector<agent::Line> pass(std::vector<agent::Line> lines);
  bool holds() const { return !held_.empty(); }
  // The turn is over. `texts` are what the agent recorded as said in it, in order; none: no record.
  std::vector<agent::Line> finish(const std::vector<std::string>& texts);

 private:
  std::string last_words_;  // of the last line of the agent that was passed in this turn
  std::vector<agent::Line> held_;
};

}  // namespace orch::driver
