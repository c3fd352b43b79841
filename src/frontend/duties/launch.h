#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch internal launch PLAN -- COMMAND...`, which only orch itself starts: saves the work
// directory, raises the fence around this process that the file PLAN describes (fence/plan.h), and
// execs COMMAND. If a layer of the fence cannot be raised it prints an error and exits with 126:
// nothing runs with less than the planned fence.
int run_launch(std::span<const std::string> arguments);

}  // namespace orch::duties
