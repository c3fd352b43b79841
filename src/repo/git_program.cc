#include "repo/git_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/fd.h"
#include "base/own_program.h"
#include "base/text.h"

extern char** environ;

namespace orch::repo {
namespace {

constexpr int kSignalBase = 128;
constexpr size_t kMostFilters = 1'000;
// How long a call may take, in which it may fill a large work tree, and what it may print. A
// repository that an agent has made can be as hostile as it likes.
constexpr std::chrono::minutes kMostGitTime{30};
constexpr off_t kMostGitOutput = 256 << 20;
constexpr int kGitLookMs = 250;

using Setting = std::pair<std::string, std::string>;

// Settings of git-config(1) that name a program or reach the network, with values that disable
// them. They are set with the rank of the command line.
std::vector<Setting> settings() {
  return {{"core.fsmonitor", "false"},
          {"core.hooksPath", "/dev/null"},
          {"core.sshCommand", "false"},
          {"core.gitProxy", "false"},
          {"core.askPass", "false"},
          {"core.alternateRefsCommand", "false"},
          {"core.editor", "false"},
          {"core.pager", "cat"},
          {"credential.helper", ""},
          {"diff.external", ""},
          {"gc.auto", "0"},
          {"maintenance.auto", "false"},
          {"status.submoduleSummary", "false"},
          {"submodule.recurse", "false"},
          {"protocol.allow", "never"}};
}

std::vector<std::string> environment(const std::vector<Setting>& config) {
  std::vector<std::string> env{"PATH=" + base::own_path_variable()};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("GIT_") && !text.starts_with("PATH=")) env.emplace_back(text);
  }
  env.insert(env.end(), {"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
                         "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"});
  env.push_back("GIT_CONFIG_COUNT=" + std::to_string(config.size()));
  for (size_t i = 0; i < config.size(); ++i) {
    env.push_back("GIT_CONFIG_KEY_" + std::to_string(i) + "=" + config[i].first);
    env.push_back("GIT_CONFIG_VALUE_" + std::to_string(i) + "=" + config[i].second);
  }
  return env;
}

// An anonymous file, so that no writer or reader can block, as with a pipe.
base::Fd scratch(std::string_view content) {
  base::Fd file(::memfd_create("git", MFD_CLOEXEC));
  for (size_t at = 0; file.valid() && at < content.size();) {
    const ssize_t written = ::write(file.get(), content.data() + at, content.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return {};
    at += static_cast<size_t>(written);
  }
  if (file.valid()) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string content_of(const base::Fd& file) {
  std::string text;
  std::array<char, 64 << 10> buffer;
  ::lseek(file.get(), 0, SEEK_SET);
  for (;;) {
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(buffer.data(), static_cast<size_t>(size));
  }
}

off_t size_of(const base::Fd& file) {
  struct stat info {};
  return ::fstat(file.get(), &info) == 0 ? info.st_size : 0;
}

// Waits for the end of git, or of its patience: "" or why git was killed.
base::Result<std::string> wait_for(pid_t pid, const base::Fd& out, const base::Fd& err,
                                   int& status) {
  const auto until = std::chrono::steady_clock::now() + kMostGitTime;
  const base::Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  std::string why;
  while (why.empty()) {
    const pid_t done = ::waitpid(pid, &status, WNOHANG);
    if (done == pid) return why;
    if (done < 0 && errno != EINTR) return base::system_error("git", errno);
    if (std::max(size_of(out), size_of(err)) > kMostGitOutput) why = "it prints too much";
    if (std::chrono::steady_clock::now() > until) why = "it takes too long";
    pollfd gone{ended.get(), POLLIN, 0};
    ::poll(&gone, ended.valid() ? 1 : 0, kGitLookMs);
  }
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return base::system_error("git", errno);
  }
  return why;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

base::Result<GitAnswer> run(const GitCall& call, const std::vector<Setting>& config) {
  const base::Fd in = scratch(call.input), out = scratch(""), err = scratch("");
  if (!in.valid() || !out.valid() || !err.valid()) return base::system_error("git", errno);
  const base::Result<std::string> program = base::own_program("git");
  if (!program) return program.error();
  std::vector<std::string> words{"git", "-C", call.folder};
  words.insert(words.end(), call.words.begin(), call.words.end());
  const std::vector<std::string> env = environment(config);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, out.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, err.get(), STDERR_FILENO);
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, program->c_str(), &files, nullptr, pointers(words).data(),
                                    pointers(env).data());
  ::posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return base::system_error("git in " + call.folder, failure);
  int status = 0;
  const base::Result<std::string> killed = wait_for(pid, out, err, status);
  if (!killed) return killed.error();
  if (!killed->empty()) {
    return base::Error{base::ErrorCode::kSystem, "git in " + call.folder + ": " + *killed};
  }
  GitAnswer answer;
  answer.code = WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
  answer.out = content_of(out);
  const std::string said = content_of(err);
  const std::string_view first = base::trim(said);
  answer.err = base::printable(first.substr(0, first.find('\n')));
  if (answer.code != 0 && answer.err.empty()) {
    answer.err = "exit code " + std::to_string(answer.code);
  }
  return answer;
}

// The names of the filters in the configuration. To read it runs no program.
base::Result<std::vector<std::string>> filters(const std::string& folder) {
  const std::vector<std::string> words{"config",      "--includes",   "-z",
                                       "--name-only", "--get-regexp", "^filter\\."};
  base::Result<GitAnswer> answer = run({words, folder, ""}, settings());
  if (!answer) return answer.error();
  std::vector<std::string> names;
  std::string_view rest = answer->out;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view key = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t first = key.find('.'), last = key.rfind('.');
    if (first >= last) continue;
    std::string name(key.substr(first + 1, last - first - 1));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() > kMostFilters) {
    return base::usage_error(folder + ": git's configuration names more than " +
                             std::to_string(kMostFilters) + " filters");
  }
  return names;
}

}  // namespace

base::Result<GitAnswer> run_git(const GitCall& call) {
  base::Result<std::vector<std::string>> names = filters(call.folder);
  if (!names) return names.error();
  std::vector<Setting> config = settings();
  for (const std::string& name : *names) {
    for (const char* kind : {".clean", ".smudge", ".process"}) {
      config.emplace_back("filter." + name + kind, "");
    }
    config.emplace_back("filter." + name + ".required", "false");
  }
  return run(call, config);
}

base::Result<std::string> ask_git(const GitCall& call) {
  base::Result<GitAnswer> answer = run_git(call);
  if (!answer) return answer.error();
  if (answer->code == 0) return std::move(answer->out);
  return base::usage_error("git " + (call.words.empty() ? "" : call.words.front()) + ": " +
                           answer->err);
}

}  // namespace orch::repo
