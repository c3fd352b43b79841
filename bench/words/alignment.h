#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orch::words {

// For each word of `said` whether it was told: the told ones are a longest common subsequence of
// both. After E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), section 4b: time
// grows with how much differs, space with the lengths alone.
std::vector<bool> told_words(const std::vector<std::string>& said,
                             const std::vector<std::string>& told);

}  // namespace orch::words
