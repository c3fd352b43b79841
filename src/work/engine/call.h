#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "pty/tool.h"

namespace orch::engine {

// How long an answer of sbatch, squeue or kubectl is waited for, and how long it may be. A busy
// controller takes seconds; a job takes 100 bytes of squeue's answer.
inline constexpr pty::ToolLimits kCallLimits{.patience_ms = 60'000, .bytes = 16 << 20};

// An error, with the remedy, if the program cannot be found.
base::Status check_program(const std::string& name);

// An error if a file of settings that the command would obey, by its words or by a variable, lies
// where agents may write: a kubeconfig names programs that kubectl runs.
base::Status check_call(const std::vector<std::string>& words);

// Runs a program of an engine, which is found along PATH, and returns its output. `added` ("K=V")
// is added to its environment. Errors are one line with the remedy: those of check_call(), a
// missing program, no answer in time, too long an answer, or the program's own complaint.
base::Result<std::string> call(const std::vector<std::string>& words,
                               const std::vector<std::string>& added = {},
                               const pty::ToolLimits& limits = kCallLimits);

}  // namespace orch::engine
