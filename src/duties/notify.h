#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch notify COMMAND`: what `orch run --notify` starts. Runs COMMAND once for each line of
// standard input, and ends when all have ended.
int run_notify(std::span<const std::string> arguments);

}  // namespace orch::duties
