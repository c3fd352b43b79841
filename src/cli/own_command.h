#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace orch::cli {

// Runs this orch with other words and waits for it. It shares the terminal, the process group and
// standard error, writes its standard output there, too, reads `input`, and ends with this process
// at the latest. Returns its exit code, as a shell has it.
base::Result<int> run_own_command(const std::vector<std::string>& words,
                                  const std::vector<std::string>& env, const std::string& input);

// This process's environment without logins: tokens of forges, the socket of an ssh agent, programs
// that ask for passwords.
std::vector<std::string> environment_without_logins();
bool names_login(const std::string& variable);

}  // namespace orch::cli
