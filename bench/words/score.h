#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/replay.h"

namespace orch::words {

// How well lines tell what the model said: of one recording, or the sum of several.
struct Score {
  int recordings = 0;
  int inexact = 0;  // recordings of which a word is missing or a line is one too many
  size_t lines = 0;
  size_t said = 0;     // words
  size_t told = 0;     // those of them that the lines hold, in order
  size_t repeats = 0;  // lines told more often than they were said
  size_t partial = 0;  // lines that begin the next line: told before they were whole
  size_t chrome = 0;   // lines of the agent's interface that the model did not say
  std::vector<std::string> differences;  // the first of each kind; one recording's only

  size_t missing() const { return said - told; }
  size_t too_many() const { return repeats + partial + chrome; }
  std::optional<double> recall() const;  // from 0 to 1; absent when nothing was said
};

// The texts of the output records that are to hold the model's words.
std::vector<std::string> lines_told(const std::vector<session::ReplayedEvent>& events);

Score score(std::string_view said, const std::vector<std::string>& lines);
void add(Score& sum, const Score& score);

}  // namespace orch::words
