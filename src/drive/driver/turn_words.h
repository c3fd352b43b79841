#pragma once

#include <string>
#include <vector>

#include "agent/line.h"

namespace orch::driver {

// Fills gaps in the lines of a turn from the agent's own record. Lines pass at once until some are
// missing (Line::gap). All lines from there on are held back until the turn is over, because then
// the record may have the missing ones. A gap that the record does not fill stays a gap.
class TurnWords {
 public:
  // Takes new lines and returns the ones that may pass now.
  std::vector<agent::Line> pass(std::vector<agent::Line> lines);
  bool holds() const { return !held_.empty(); }
  // Whether the last words that passed are missing from the turn's record: it is behind the screen.
  bool outrun(const std::vector<std::string>& texts) const;
  // The turn is over; returns the lines that were held back. `texts` are the words of this turn in
  // the agent's record, in order; empty if the record is missing.
  std::vector<agent::Line> finish(const std::vector<std::string>& texts);

 private:
  std::string last_words_;  // the words of the agent's last line that passed in this turn
  std::vector<agent::Line> held_;
};

}  // namespace orch::driver
