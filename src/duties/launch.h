#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch launch PLAN -- COMMAND...`, which only orch itself starts: this process saves the work
// directory, shuts itself in as the file PLAN says (fence/plan.h) and becomes COMMAND. Where a
// layer of the fence cannot be had it says so and exits with 126: nothing runs with less than was
// planned.
int run_launch(std::span<const std::string> arguments);

}  // namespace orch::duties
