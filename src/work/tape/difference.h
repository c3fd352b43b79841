#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::tape {

// One place where two JSON texts differ.
struct Difference {
  std::string path;  // "/messages/2/content"; "" for the whole value
  // Excerpts around the first character that differs; "(missing)".
  std::string expected, actual;
  bool operator==(const Difference&) const = default;
};

// The places where the texts differ, in order, at most so many.
std::vector<Difference> differences(std::string_view expected, std::string_view actual,
                                    size_t most);

}  // namespace orch::tape
