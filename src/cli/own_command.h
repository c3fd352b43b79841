#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace orch::cli {

// Starts this orch with other words. It shares the terminal, the process group and standard error,
// writes its standard output there, too, reads `input`, and ends with this process at the latest.
base::Result<pid_t> start_own_command(const std::vector<std::string>& words,
                                      const std::vector<std::string>& env,
                                      const std::string& input);
// Waits for this child to end, or for any (pid -1). Its exit code is as a shell has it. pid 0: this
// process has no such child.
struct EndedCommand {
  pid_t pid = 0;
  int code = 0;
};
EndedCommand wait_for_command(pid_t pid);

// Both in one: the exit code.
base::Result<int> run_own_command(const std::vector<std::string>& words,
                                  const std::vector<std::string>& env, const std::string& input);

// This process's environment without logins: tokens of forges, the socket of an ssh agent, programs
// that ask for passwords.
std::vector<std::string> environment_without_logins();
bool names_login(const std::string& variable);

}  // namespace orch::cli
