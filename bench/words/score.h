#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/replay.h"

namespace orch::words {

// How well lines tell what the model said, for one recording or as the sum of several.
struct Score {
  int recordings = 0;
  int inexact = 0;  // recordings with a missing word or a superfluous line
  size_t lines = 0;
  size_t said = 0;     // words that the model said
  size_t told = 0;     // how many of these the lines have, in order
  size_t repeats = 0;  // lines told more often than they were said
  size_t partial = 0;  // lines that begin the next line: they were told before they were complete
  size_t chrome = 0;   // lines of the agent's interface that the model did not say
  std::vector<std::string> differences;  // the first of each kind; not summed over recordings

  size_t missing() const { return said - told; }
  size_t too_many() const { return repeats + partial + chrome; }
  std::optional<double> recall() const;  // from 0 to 1; nullopt if nothing was said
};

// The texts of the output records, which are to be the model's words.
std::vector<std::string> lines_told(const std::vector<session::ReplayedEvent>& events);

Score score(std::string_view said, const std::vector<std::string>& lines);
void add(Score& sum, const Score& score);

}  // namespace orch::words
