#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tape/difference.h"
#include "tape/tape.h"

namespace orch::tape {

// Two requests of the same kind on two tapes, or one that has no partner, and how they differ.
struct Pair {
  std::string kind = {}, method = {}, path = {};
  std::optional<int64_t> first = {}, second = {};  // their numbers
  std::vector<Difference> request = {};            // of the normalised bodies, and the paths
  std::vector<Difference> answer = {};             // of the status, the words, and the calls
  bool is_same() const { return first && second && request.empty() && answer.empty(); }
};

// Compares each request of one tape with one of the other: an equal one, or otherwise the next one
// of its kind. At most `most` differences of each pair.
std::vector<Pair> compare(const Tape& first, const Tape& second, size_t most);

}  // namespace orch::tape
