#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fence/plan.h"

// What docs/security.md says that each layer holds, as something that is tried.
struct Attempt {
  std::string_view layer;  // as the table's first column has it
  std::string_view claim;  // a part of what the layer holds, in the table's own words
  std::string_view what;   // is done, for the test's output; unique within the claim
  bool (*comes_through)();
  int landlock = 0;  // since which version it is held
  orch::fence::Network network{};
};
const std::vector<Attempt>& attempts();

// What an attempt is told about the place it is made in, whatever process that is in: kept in the
// environment.
std::string fact(std::string_view name);
void set_fact(std::string_view name, const std::string& value);

// A file's handle for fact("handle"), "" where it has none.
std::string handle_of(const std::string& path);
