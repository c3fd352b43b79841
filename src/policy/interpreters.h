#pragma once

#include <string_view>

#include "policy/command_flow.h"
#include "policy/program_judge.h"

namespace orch::policy {

// Python, node and other languages. Code in the command is read as far as it is plain; a file of
// the project is the project's.
bool is_interpreter(std::string_view program);
void judge_interpreter(const ProgramCall& call, const Flow& input);

// A file that is run: not one that the same command wrote or loaded.
void judge_run_file(const ShellWord& file, const ProgramCall& call);

}  // namespace orch::policy
