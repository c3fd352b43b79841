#include "cli/own_command.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "base/child.h"
#include "base/fd.h"
#include "session/environment.h"
#include "setup/paths.h"

namespace orch::cli {
namespace {

constexpr int kSignalBase = 128;
constexpr int kCannotStart = 126;

}  // namespace

base::Result<pid_t> start_own_command(const std::vector<std::string>& words,
                                      const std::vector<std::string>& env,
                                      const std::string& input) {
  const base::Result<std::string> program = setup::own_path();
  if (!program) return program.error();
  const base::Fd in = base::memory_file(input);
  if (!in.valid()) return base::system_error("make an input", errno);
  std::vector<std::string> argv{*program};
  argv.insert(argv.end(), words.begin(), words.end());
  const std::vector<char*> arguments = base::pointers(argv), variables = base::pointers(env);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return base::system_error("start orch " + words.front(), errno);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::dup2(in.get(), STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    if (::getppid() == parent) ::execve(program->c_str(), arguments.data(), variables.data());
    ::_exit(kCannotStart);
  }
  return child;
}

EndedCommand wait_for_command(pid_t pid) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(pid, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) return {};
  return {ended, WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status)};
}

base::Result<int> run_own_command(const std::vector<std::string>& words,
                                  const std::vector<std::string>& env, const std::string& input) {
  const base::Result<pid_t> child = start_own_command(words, env, input);
  if (!child) return child.error();
  return wait_for_command(*child).code;
}

bool names_login(const std::string& variable) {
  constexpr std::array<std::string_view, 11> kNames{
      "GH_TOKEN",     "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN",
      "GITLAB_TOKEN", "GLAB_TOKEN",   "SSH_AUTH_SOCK",       "SSH_AGENT_PID",
      "GIT_ASKPASS",  "SSH_ASKPASS",  "GH_CONFIG_DIR"};
  return std::find(kNames.begin(), kNames.end(), variable) != kNames.end();
}

std::vector<std::string> environment_without_logins() {
  std::vector<std::string> env = session::own_environment();
  std::erase_if(
      env, [](const std::string& entry) { return names_login(entry.substr(0, entry.find('='))); });
  return env;
}

}  // namespace orch::cli
