#include "peer/peer_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>

#include "base/text.h"
#include "peer/session_socket.h"
#include "pty/init.h"
#include "pty/proc_file.h"
#include "pty/process_table.h"
#include "pty/run_mark.h"

namespace orch::peer {
namespace {

#ifndef SO_PEERPIDFD
constexpr int SO_PEERPIDFD = 77;  // NOLINT(readability-identifier-naming): Linux 6.5
#endif

constexpr const char* kUnknown = "refused: it is unknown whether this process belongs to a run";
constexpr int kMaxLooks = 5;  // attempts, if the chain changes during a look

void add_marks(std::string_view environment, std::set<std::string>& runs) {
  while (!environment.empty()) {
    std::string_view value = base::take_until(environment, '\0');
    const std::string_view name = base::take_until(value, '=');
    if (name != pty::kRunMark && name != pty::kRunChain) continue;
    while (!value.empty()) runs.emplace(base::take_until(value, ':'));
  }
}

// Lines as in cgroups(7): "0::/a/<run>.orch/b".
void add_groups(std::string_view groups, std::set<std::string>& runs) {
  constexpr std::string_view kSuffix = ".orch";
  while (!groups.empty()) {
    std::string_view path = base::take_until(groups, '\n');
    while (!path.empty()) {
      const std::string_view part = base::take_until(path, '/');
      if (part.size() <= kSuffix.size() || !part.ends_with(kSuffix)) continue;
      runs.emplace(part.substr(0, part.size() - kSuffix.size()));
    }
  }
}

void add_runs(pid_t pid, std::set<std::string>& runs) {
  add_marks(pty::read_proc(pid, "environ"), runs);
  add_groups(pty::read_proc(pid, "cgroup"), runs);
}

// If the process hides (prctl(2), PR_SET_DUMPABLE), opening the file fails.
bool shows_environment(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/environ";
  return base::Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)).valid();
}

std::string program_of(pid_t pid) {
  std::array<char, PATH_MAX> buffer{};
  const std::string link = "/proc/" + std::to_string(pid) + "/exe";
  const ssize_t size = ::readlink(link.c_str(), buffer.data(), buffer.size());
  return size > 0 ? std::string(buffer.data(), static_cast<size_t>(size)) : "";
}

// Whether an ancestor is a host. It is if its program is orch: the other commands of orch start
// nothing that outlives them, except commands that run commands of orch, and a run's init, whose
// parent is the host. The binary may have been replaced since ("orch (deleted)").
bool is_host(pid_t pid) {
  if (pid == ::getpid()) return true;
  const std::string command_line = pty::read_proc(pid, "cmdline");
  if (pty::is_init(command_line)) return false;
  const std::string program = program_of(pid);
  const std::string name = program.substr(program.rfind('/') + 1);
  const bool is_orch = name == "orch" || name == "orch (deleted)" ||
                       (!program.empty() && program == program_of(::getpid()));
  return is_orch && !starts_commands(command_line);
}

// A number in /proc/PID/status (proc(5)); 0 if the line is missing, as "Seccomp_filters" is before
// Linux 5.9.
int64_t status_number(std::string_view status, std::string_view name) {
  const size_t at = status.find("\n" + std::string(name) + ":\t");
  if (at == std::string_view::npos) return 0;
  return std::atoll(std::string(status.substr(at + name.size() + 3, 20)).c_str());
}

// Whether a process has given up rights that its ancestor has, as every fence makes it do. No
// process can take them back.
bool is_confined(pid_t pid, pid_t ancestor) {
  const std::string own = pty::read_proc(pid, "status");
  const std::string above = pty::read_proc(ancestor, "status");
  return status_number(own, "NoNewPrivs") > status_number(above, "NoNewPrivs") ||
         status_number(own, "Seccomp_filters") > status_number(above, "Seccomp_filters");
}

// Walks along the ancestors once; nullopt if one of them vanished during the walk.
std::optional<RunsAround> look_around(pid_t pid) {
  RunsAround around;
  std::optional<pty::ProcessEntry> at = pty::read_process(pid);
  if (!at || at->ended) return std::nullopt;
  add_runs(pid, around.runs);
  for (int steps = 0; at->parent > 0; ++steps) {
    const pid_t child = at->pid;
    at = pty::read_process(at->parent);
    const std::optional<pty::ProcessEntry> still = pty::read_process(child);
    if (!at || !still || still->parent != at->pid || steps == pty::kMostAncestors)
      return std::nullopt;
    if (is_host(at->pid)) {
      // The marks of processes below a host were set by that host, which is noted instead.
      around.hosts[at->pid] = {
          at->start, around.runs.empty() ? "" : *around.runs.rbegin(),
          allows_agents(pty::read_proc(at->pid, "cmdline"), is_confined(pid, at->pid))};
      around.runs.clear();
    }
    add_runs(at->pid, around.runs);
  }
  return around;
}

std::string belongs_to(const std::string& run) {
  return "refused: this process belongs to run " + run +
         "; start that run with --trust-agent to allow it";
}

std::string name_of(pid_t pid, const RunsAround::Host& host) {
  return host.run.empty() ? "of orch with pid " + std::to_string(pid) : host.run;
}

}  // namespace

std::optional<RunsAround> runs_around(pid_t pid) {
  if (pid <= 0 || !shows_environment(pid)) return std::nullopt;
  for (int looks = 0; looks < kMaxLooks; ++looks) {
    if (std::optional<RunsAround> around = look_around(pid)) return around;
  }
  return std::nullopt;
}

bool starts_commands(std::string_view command_line) {
  if (command_line.empty()) return false;  // a command line that cannot be read may be any
  base::take_until(command_line, '\0');    // skips the program
  const std::string_view command = base::take_until(command_line, '\0');
  return command.empty() || command == "top" || command == "mcp";
}

bool allows_agents(std::string_view command_line, bool is_fenced) {
  base::take_until(command_line, '\0');  // skips the program
  while (!command_line.empty()) {
    const std::string_view word = base::take_until(command_line, '\0');
    if (word == "--trust-agent") return true;
    if (word == "--") return !is_fenced;
  }
  return false;
}

std::string why_not_outside(const RunsAround& around, const RunsAround& ours, pid_t self,
                            bool trusts) {
  for (const auto& [pid, host] : around.hosts) {
    const auto shared = ours.hosts.find(pid);
    if (shared != ours.hosts.end() && shared->second.start == host.start) continue;
    const bool allowed = pid == self ? trusts : host.allows_agents;
    if (!allowed) return belongs_to(name_of(pid, host));
  }
  for (const std::string& run : around.runs) {
    if (!ours.runs.contains(run)) return belongs_to(run);
  }
  return "";
}

PeerProcess::PeerProcess(const base::Fd& connection) : pid_(our_peer(connection).value_or(0)) {
  if (const auto process = pty::read_process(pid_)) start_ = process->start;
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (::getsockopt(connection.get(), SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0) {
    process_.reset(pidfd);
  }
}

bool PeerProcess::is_orch() const {
  if (pid_ <= 0) return false;
  const std::string program = program_of(pid_);
  return !program.empty() && program == program_of(::getpid());
}

// A pid may be reused when its process is gone; a pidfd is not.
bool PeerProcess::is_of(const std::string& run) const {
  const std::optional<RunsAround> around = pid_ > 0 ? runs_around(pid_) : std::nullopt;
  if (!around || !is_still_there()) return false;
  const bool below =
      std::any_of(around->hosts.begin(), around->hosts.end(), [&run](const auto& host) {
        const auto& [pid, what] = host;
        return what.run == run || (what.run.empty() && pid == ::getpid());
      });
  return below || around->runs.contains(run);
}

bool PeerProcess::is_still_there() const {
  const std::optional<pty::ProcessEntry> now = pty::read_process(pid_);
  if (!now || now->start != start_) return false;
  pollfd ended{process_.get(), POLLIN, 0};
  return !process_.valid() || ::poll(&ended, 1, 0) == 0;
}

std::string PeerProcess::refusal(bool trusts_agent) const {
  const std::optional<RunsAround> around = runs_around(pid_);
  const std::optional<RunsAround> ours = runs_around(::getpid());
  if (!around || !ours || !is_still_there()) return kUnknown;
  return why_not_outside(*around, *ours, ::getpid(), trusts_agent);
}

std::string refusal_of_this_process() {
  const std::optional<RunsAround> around = runs_around(::getpid());
  return around ? why_not_outside(*around, {}, 0, false) : kUnknown;
}

}  // namespace orch::peer
