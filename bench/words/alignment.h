#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orch::words {

// Returns for each word of `said` whether it was told: the told ones are a longest common
// subsequence of both. Uses the algorithm of E. Myers, "An O(ND) Difference Algorithm and Its
// Variations" (1986), section 4b: the time grows with the number of differences, the space only
// with the lengths.
std::vector<bool> told_words(const std::vector<std::string>& said,
                             const std::vector<std::string>& told);

}  // namespace orch::words
