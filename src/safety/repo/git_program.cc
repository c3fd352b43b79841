#include "repo/git_program.h"

#include <poll.h>
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
#include <set>
#include <utility>

#include "base/child.h"
#include "base/fd.h"
#include "base/own_program.h"
#include "base/text.h"
#include "pty/containment.h"
#include "pty/spawn.h"
#include "repo/awaited_pipe.h"

extern char** environ;

namespace orch::repo {
namespace {

constexpr int kSignalBase = 128;
constexpr size_t kMostSettings = 4'000;
// The limit of git's output, at which it is killed. The list of a million files has 100 MB.
constexpr off_t kMostSaid = 256 << 20;
// git reads its configuration within milliseconds, unless it includes a pipe.
constexpr std::chrono::seconds kSettingsPatience{10};

using Clock = std::chrono::steady_clock;
using Setting = std::pair<std::string, std::string>;

Clock::time_point& deadline() {
  static Clock::time_point until = Clock::time_point::max();
  return until;
}

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

// The same for a call that uses the network: the user's own programs for it stay.
std::vector<Setting> online_settings(const std::vector<std::string>& helpers) {
  std::vector<Setting> config{{"core.fsmonitor", "false"},
                              {"core.hooksPath", "/dev/null"},
                              {"core.editor", "false"},
                              {"core.pager", "cat"},
                              {"gc.auto", "0"},
                              {"maintenance.auto", "false"},
                              {"submodule.recurse", "false"},
                              {"fetch.recurseSubmodules", "false"},
                              {"push.recurseSubmodules", "no"},
                              {"push.gpgSign", "false"},
                              {"push.followTags", "false"}};
  for (const std::string& helper : helpers) config.emplace_back("credential.helper", helper);
  return config;
}

enum class Network : uint8_t { kNone, kUsed };

// The variables of the user that say how git reaches a server.
constexpr std::array<std::string_view, 8> kConnection{
    "GIT_SSH=",        "GIT_SSH_COMMAND=", "GIT_SSH_VARIANT=",   "GIT_SSL_CAINFO=",
    "GIT_SSL_CAPATH=", "GIT_SSL_CERT=",    "GIT_PROXY_COMMAND=", "GIT_ASKPASS="};

bool is_passed_on(std::string_view entry, Network network) {
  if (entry.starts_with("PATH=")) return false;
  if (!entry.starts_with("GIT_")) return true;
  return network == Network::kUsed &&
         std::any_of(kConnection.begin(), kConnection.end(),
                     [entry](std::string_view name) { return entry.starts_with(name); });
}

std::vector<std::string> environment(const std::vector<Setting>& config, Network network) {
  std::vector<std::string> env{"PATH=" + base::own_path_variable()};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (is_passed_on(*entry, network)) env.emplace_back(*entry);
  }
  // Without "ext", which is a command line.
  const char* const protocols = network == Network::kUsed ? "GIT_ALLOW_PROTOCOL=https:http:ssh:file"
                                                          : "GIT_ALLOW_PROTOCOL=none";
  env.insert(env.end(), {"GIT_TERMINAL_PROMPT=0", protocols, "GIT_NO_LAZY_FETCH=1",
                         "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"});
  env.push_back("GIT_CONFIG_COUNT=" + std::to_string(config.size()));
  for (size_t i = 0; i < config.size(); ++i) {
    env.push_back("GIT_CONFIG_KEY_" + std::to_string(i) + "=" + config[i].first);
    env.push_back("GIT_CONFIG_VALUE_" + std::to_string(i) + "=" + config[i].second);
  }
  return env;
}

std::string content_of(const base::Fd& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  return base::read_to_end(file);
}

bool is_too_long(const std::array<const base::Fd*, 2>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(), [](const base::Fd* output) {
    struct stat info {};
    return ::fstat(output->get(), &info) == 0 && info.st_size > kMostSaid;
  });
}

// Waits for the end of git, which writes to these files, and returns its status.
base::Result<int> await(pid_t pid, const std::string& what, std::chrono::seconds patience,
                        const std::array<const base::Fd*, 2>& outputs) {
  constexpr int kLookMs = 50;
  constexpr std::chrono::milliseconds kPipePatience{500};
  // Without a pidfd (before Linux 5.3) the end is noticed a little later.
  const base::Fd end(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const Clock::time_point begin = Clock::now(), until = std::min(begin + patience, deadline());
  int status = 0;
  std::string trouble;
  for (;;) {
    pollfd ready{end.get(), POLLIN, 0};
    ::poll(&ready, 1, kLookMs);
    const pid_t ended = ::waitpid(pid, &status, trouble.empty() ? WNOHANG : 0);
    if (ended < 0 && errno != EINTR) return base::system_error("git", errno);
    if (trouble.empty() && is_too_long(outputs)) {
      trouble = what + " answered with more than 256 MB, which is not read";
    } else if (trouble.empty() && ended == 0 && Clock::now() >= until) {
      const auto waited = std::chrono::round<std::chrono::seconds>(until - begin);
      trouble = what + " gave no answer within " +
                std::to_string(std::max<int64_t>(waited.count(), 0)) + " s";
    } else if (trouble.empty() && ended == 0 && Clock::now() >= begin + kPipePatience) {
      const std::string pipe = awaited_pipe(pid);
      if (!pipe.empty()) {
        trouble = what + " waits for " + base::printable(pipe) + ", which is a pipe; remove it";
      }
    }
    if (ended == pid) break;
    if (!trouble.empty()) pty::kill_children([pid](const auto& child) { return child.pid == pid; });
  }
  if (!trouble.empty()) return base::Error{base::ErrorCode::kSystem, trouble};
  return status;
}

base::Result<GitAnswer> run(const GitCall& call, const std::vector<Setting>& config,
                            Network network = Network::kNone) {
  // Files, so that no writer or reader can block, as with a pipe.
  const base::Fd in = base::memory_file(call.input), out = base::memory_file(""),
                 err = base::memory_file("");
  if (!in.valid() || !out.valid() || !err.valid()) return base::system_error("git", errno);
  const base::Result<std::string> program = base::own_program("git");
  if (!program) return program.error();
  std::vector<std::string> words{*program, "-C", call.folder};
  words.insert(words.end(), call.words.begin(), call.words.end());
  const pty::ChildStdio stdio{pty::ChildStdio::Kind::kPipes, {in.get(), out.get(), err.get()}};
  const base::Result<pid_t> pid =
      pty::spawn_child(words, "", environment(config, network), stdio, -1,
                       pty::ParentDeath::kDieToo, pty::Leads::kNothing);
  if (!pid) return pid.error();
  const std::string what = call.words.empty() ? "git" : "git " + call.words.front();
  const base::Result<int> ended = await(*pid, what, call.patience, {&out, &err});
  if (!ended) return ended.error();
  const int status = *ended;
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

// Whether git would wait for somebody to write to the file.
bool is_pipe(std::string_view named) {
  std::string path(named);
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): no thread sets it
  if (path.starts_with("~/") && home != nullptr) path = home + path.substr(1);
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

// What disables a setting of the user's or the repository's configuration: the program of a filter
// or a merge driver, by the name "filter.lfs.clean", or a file of rules that is a pipe.
std::vector<Setting> disabled(std::string_view key, std::string_view value) {
  if (key.starts_with("core.")) {
    return is_pipe(value) ? std::vector<Setting>{{std::string(key), "/dev/null"}}
                          : std::vector<Setting>();
  }
  const std::string name(key.substr(0, key.rfind('.')));
  // What the driver would merge is a conflict.
  if (name.starts_with("merge.")) return {{name + ".driver", "false"}};
  return {{name + ".clean", ""},
          {name + ".smudge", ""},
          {name + ".process", ""},
          {name + ".required", "false"}};
}

// settings(), and those that disable what the configuration names. Reading it runs no program.
base::Result<std::vector<Setting>> harmless_settings(const GitCall& call) {
  std::vector<std::string> words{
      "config", "--includes", "-z", "--get-regexp",
      "^((filter|merge)\\..*\\..*|core\\.(excludesfile|attributesfile))$"};
  if (!call.words.empty() && call.words.front().starts_with("--git-dir=")) {
    words.insert(words.begin(), call.words.front());
  }
  std::vector<Setting> config = settings();
  const base::Result<GitAnswer> answer =
      run({words, call.folder, "", std::min(call.patience, kSettingsPatience)}, config);
  if (!answer) return answer.error();
  std::set<std::string> seen;
  for (const std::string_view entry : base::split(answer->out, '\0')) {
    std::string_view value = entry;
    const std::string_view key = base::take_until(value, '\n');
    for (Setting& setting : disabled(key, value)) {
      if (seen.insert(setting.first).second) config.push_back(std::move(setting));
    }
    if (seen.size() > kMostSettings) {
      return base::usage_error(call.folder +
                               ": git's configuration names too many filters and "
                               "merge drivers");
    }
  }
  return config;
}

}  // namespace

GitDeadline::GitDeadline(Clock::time_point until) { deadline() = until; }
GitDeadline::~GitDeadline() { deadline() = Clock::time_point::max(); }

base::Result<GitAnswer> run_git(const GitCall& call) {
  const base::Result<std::vector<Setting>> config = harmless_settings(call);
  if (!config) return config.error();
  return run(call, *config);
}

base::Result<GitAnswer> run_git_online(const GitCall& call,
                                       const std::vector<std::string>& helpers) {
  return run(call, online_settings(helpers), Network::kUsed);
}

base::Result<std::string> ask_git(const GitCall& call) {
  base::Result<GitAnswer> answer = run_git(call);
  if (!answer) return answer.error();
  if (answer->code == 0) return std::move(answer->out);
  return base::usage_error("git " + (call.words.empty() ? "" : call.words.front()) + ": " +
                           answer->err);
}

}  // namespace orch::repo
