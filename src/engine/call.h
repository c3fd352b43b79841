#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::engine {

// How long an answer of sbatch, squeue or kubectl is waited for. A busy controller takes seconds.
inline constexpr int64_t kCallPatienceMs = 60'000;

// An error, with the remedy, if there is no such program.
base::Status check_program(const std::string& name);

// Runs a program of an engine, which is found along PATH, and returns its output. `added` ("K=V")
// comes to its environment. Errors are one line with the remedy: there is no such program, it does
// not answer in time, or what it complains of.
base::Result<std::string> call(const std::vector<std::string>& words,
                               const std::vector<std::string>& added = {},
                               int64_t patience_ms = kCallPatienceMs);

}  // namespace orch::engine
