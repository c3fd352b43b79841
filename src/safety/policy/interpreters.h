#pragma once

#include <string_view>

#include "policy/command_flow.h"
#include "policy/program_judge.h"

namespace orch::policy {

// Python, node and the interpreters of other languages. Code in the command must be plain and known
// to be harmless; a file of the project may be run.
bool is_interpreter(std::string_view program);
void judge_interpreter(const ProgramCall& call, const Flow& input);

// Judges a file that is run: the same command must not have written or downloaded it.
void judge_run_file(const ShellWord& file, const ProgramCall& call);

}  // namespace orch::policy
