#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fence/plan.h"

// One promise of docs/internals/fence.md about a layer, as something to try.
struct Attempt {
  std::string_view layer;  // the text in the table's first column
  std::string_view claim;  // a part of what the layer prevents, in the table's own words
  std::string_view what;   // what is tried, for the test's output; unique within the claim
  bool (*comes_through)();
  int landlock = 0;  // the first version of Landlock that prevents it
  orch::fence::Network network{};
};
const std::vector<Attempt>& attempts();

// Facts about the place in which an attempt is made. They are kept in the environment, so that
// every process of the attempt has them.
std::string fact(std::string_view name);
void set_fact(std::string_view name, const std::string& value);

// The handle of a file, as text for fact("handle"); "" if it has none.
std::string handle_of(const std::string& path);
