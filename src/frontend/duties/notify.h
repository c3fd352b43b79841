#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch internal notify COMMAND`, which `orch run --notify` starts: runs COMMAND once for each line
// of standard input, an event as JSON, and returns when all of them have ended.
int run_notify(std::span<const std::string> arguments);

}  // namespace orch::duties
