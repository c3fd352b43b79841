#include "cli/own_command.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "base/fd.h"
#include "session/environment.h"
#include "setup/paths.h"
#include "store/file_io.h"

namespace orch::cli {
namespace {

constexpr int kSignalBase = 128;
constexpr int kCannotStart = 126;

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

base::Result<int> run_own_command(const std::vector<std::string>& words,
                                  const std::vector<std::string>& env, const std::string& input) {
  const base::Result<std::string> program = setup::own_path();
  if (!program) return program.error();
  const base::Fd in(::memfd_create("input", MFD_CLOEXEC));
  if (!in.valid()) return base::system_error("make an input", errno);
  if (base::Status s = store::write_all(in, "an input", input); !s) return s.error();
  ::lseek(in.get(), 0, SEEK_SET);
  std::vector<std::string> argv{*program};
  argv.insert(argv.end(), words.begin(), words.end());
  const std::vector<char*> arguments = pointers(argv), variables = pointers(env);
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
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
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
