#include "pty/containment.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "base/text.h"
#include "loop/loop.h"
#include "pty/guardian.h"
#include "pty/init_duty.h"
#include "pty/proc_file.h"
#include "pty/spawn.h"

namespace orch::pty {
namespace {

// How often to look for processes that were missed, and the pause before looking again at processes
// in the middle of exec. Processes that fork or exec for ever cannot keep us here.
constexpr int kMaxLooks = 20;
constexpr timespec kPause{0, 1'000'000};

// All living processes. The marks of a run that began at `since` are read only of processes that
// started no earlier.
std::vector<Sighted> sight_all(std::string_view run_id, uint64_t since) {
  std::vector<Sighted> all;
  for (const ProcessEntry& process : living_processes()) {
    const bool may_be_marked = !process.kernel && process.start >= since;
    all.push_back({process, may_be_marked ? read_mark(process.pid, run_id) : Mark::kNone});
  }
  return all;
}

// Signals each process that `look` finds, once, until it finds no new one and all are clear.
// Returns the processes that could be signalled.
Known signal_until_quiet(int signum, const std::function<Family()>& look) {
  Known seen;
  Known signalled;
  for (int looks = 0; looks < kMaxLooks; ++looks) {
    const Family family = look();
    bool any_new = false;
    for (const ProcessEntry& process : family.members) {
      if (!seen.emplace(process.pid, process.start).second) continue;
      any_new = true;
      if (signal_process(process.pid, process.start, signum)) {
        signalled.emplace(process.pid, process.start);
      }
    }
    if (family.unclear) {
      ::nanosleep(&kPause, nullptr);
    } else if (!any_new) {
      break;
    }
  }
  return signalled;
}

bool any_lives(const Known& processes) {
  return std::any_of(processes.begin(), processes.end(), [](const auto& process) {
    return lives({process.first, process.second});
  });
}

// Kills processes that are stopped; the ones that claim to be guardians last.
void kill_all(const Known& stopped, std::chrono::milliseconds for_guardians) {
  constexpr std::chrono::milliseconds kGuardianLook{5};
  Known guardians;
  for (const auto& [pid, start] : stopped) {
    if (read_proc(pid, "cmdline") == guardian_command_line()) {
      guardians.emplace(pid, start);
    } else {
      signal_process(pid, start, SIGKILL);
    }
  }
  for (const auto& [pid, start] : guardians) signal_process(pid, start, SIGCONT);
  const auto until = std::chrono::steady_clock::now() + for_guardians;
  while (any_lives(guardians) && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kGuardianLook);
  }
  for (const auto& [pid, start] : guardians) signal_process(pid, start, SIGKILL);
}

}  // namespace

base::Status become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return base::system_error("become a child subreaper", errno);
  }
  return base::Ok{};
}

PassedByOrphans::PassedByOrphans() {
  ::prctl(PR_GET_CHILD_SUBREAPER, &was_reaper_, 0, 0, 0);
  if (was_reaper_ != 0) ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

PassedByOrphans::~PassedByOrphans() {
  if (was_reaper_ != 0) ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

size_t reap_orphans(const loop::Loop& loop) {
  siginfo_t ended{};
  const bool any =
      ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0;
  if (!any) return 0;
  size_t count = 0;
  const std::optional<std::vector<pid_t>> children = children_of(::getpid());
  for (const pid_t pid : children ? *children : all_pids()) {
    if (!loop.watches_child(pid) && ::waitpid(pid, nullptr, WNOHANG) == pid) ++count;
  }
  return count;
}

bool has_no_orphan_since(const loop::Loop& loop, uint64_t since) {
  int is_reaper = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &is_reaper, 0, 0, 0);
  if (is_reaper == 0) return false;
  return has_no_living_child(::getpid(), since,
                             [&loop](pid_t pid) { return !loop.watches_child(pid); });
}

size_t kill_children(const std::function<bool(const ProcessEntry&)>& is_meant) {
  const pid_t self = ::getpid();
  Known meant;
  const Known stopped = signal_until_quiet(SIGSTOP, [&] {
    std::vector<Sighted> all;  // no mark decides
    for (const ProcessEntry& process : living_processes()) {
      all.push_back({process, Mark::kNone});
      if (process.parent == self && is_meant(process)) meant[process.pid] = process.start;
    }
    return family_in(all, meant, self);
  });
  kill_all(stopped, Containment::kForGuardians);
  return stopped.size();
}

size_t kill_strays(const loop::Loop& loop, uint64_t since) {
  return kill_children([&](const ProcessEntry& child) {
    return !loop.watches_child(child.pid) && child.start > since;
  });
}

size_t signal_session_beyond_group(pid_t session, int signum) {
  const Known signalled = signal_until_quiet(signum, [session] {
    Family family;
    for (const ProcessEntry& process : living_processes()) {
      if (process.session == session && process.group != session) family.members.push_back(process);
    }
    return family;
  });
  return signalled.size();
}

Containment::Containment(std::string run_id, std::unique_ptr<Cgroup> cgroup,
                         std::vector<std::string> init_command)
    : run_id_(std::move(run_id)),
      cgroup_(std::move(cgroup)),
      init_command_(std::move(init_command)) {}

Containment Containment::inside(std::string id) const {
  std::unique_ptr<Cgroup> cgroup = cgroup_ ? Cgroup::create(cgroup_->path(), id) : nullptr;
  Containment part(std::move(id), std::move(cgroup), init_command_);
  part.spared_ = spared_;
  return part;
}

void Containment::spare(ProcessId process) { spared_[process.pid] = process.start; }

base::Result<Started> Containment::start(const std::vector<std::string>& argv,
                                         const std::string& cwd,
                                         const std::vector<std::string>& env,
                                         const ChildStdio& stdio) {
  if (!cgroup_ && !init_command_.empty()) return start_below_init(argv, cwd, env, stdio);
  if (cgroup_ && cgroup_->is_frozen()) {  // its exec would not happen
    return base::Error{base::ErrorCode::kSystem,
                       "spawn " + base::printable(argv.empty() ? "" : argv.front()) +
                           ": the run's control group is frozen"};
  }
  const base::Fd entrance = cgroup_ ? cgroup_->entrance() : base::Fd();
  const base::Result<pid_t> pid = spawn_child(argv, cwd, env, stdio, entrance.get());
  if (!pid) return pid.error();
  const ProcessId child = identify(*pid);
  begun(child);
  return Started{child.pid, nullptr};
}

base::Result<Started> Containment::start_below_init(const std::vector<std::string>& argv,
                                                    const std::string& cwd,
                                                    const std::vector<std::string>& env,
                                                    const ChildStdio& stdio) {
  base::Result<std::unique_ptr<Init>> init = Init::start(init_command_, argv, cwd, env, stdio);
  if (!init) return init.error();
  init_ = (*init)->id();
  const pid_t agent = (*init)->agent();
  for (const ProcessId& process : {init_, identify(agent)}) begun(process);
  return Started{agent, std::move(init).value()};
}

// All processes with the run's mark got it from the first of them.
void Containment::begun(ProcessId process) {
  if (known_.empty()) begun_ = process.start;
  known_[process.pid] = process.start;
}

Family Containment::look() {
  const std::vector<Sighted> all = sight_all(run_id_, begun_);
  if (cgroup_) {
    const std::vector<pid_t> pids = cgroup_->processes();
    const std::set<pid_t> inside(pids.begin(), pids.end());
    for (const Sighted& seen : all) {
      if (inside.contains(seen.process.pid)) known_[seen.process.pid] = seen.process.start;
    }
  }
  Family family = family_in(all, known_, ::getpid());
  for (const ProcessEntry& process : family.members) known_[process.pid] = process.start;
  std::erase_if(family.members, [this](const ProcessEntry& member) {
    const auto spared = spared_.find(member.pid);
    const bool is_spared = spared != spared_.end() && spared->second == member.start;
    return is_spared || (member.pid == init_.pid && member.start == init_.start);
  });
  return family;
}

Family Containment::clear_look() {
  Family family = look();
  for (int looks = 1; family.unclear && looks < kMaxLooks; ++looks) {
    ::nanosleep(&kPause, nullptr);
    family = look();
  }
  return family;
}

std::vector<pid_t> Containment::living() {
  std::vector<pid_t> pids;
  for (const ProcessEntry& process : clear_look().members) pids.push_back(process.pid);
  return pids;
}

size_t Containment::ask_to_end() {
  size_t living = 0;
  for (const ProcessEntry& process : clear_look().members) {
    const bool first = asked_.emplace(process.pid, process.start).second;
    if (!signal_process(process.pid, process.start, first ? SIGTERM : 0)) continue;
    // A stopped process handles SIGTERM only when it continues.
    if (first) signal_process(process.pid, process.start, SIGCONT);
    ++living;
  }
  return living;
}

size_t Containment::kill(std::chrono::milliseconds for_guardians) {
  const Known stopped = signal_until_quiet(SIGSTOP, [this] { return look(); });
  if (cgroup_) cgroup_->kill();
  kill_all(stopped, for_guardians);
  end_init();
  return stopped.size();
}

// The common end of agents. A look at all processes for each of a thousand runs that end together
// would take a minute.
size_t Containment::kill_rest(const loop::Loop& loop) {
  if (!nobody_is_left(loop)) return kill();
  end_init();
  return 0;
}

// Every process of the run descends from the init, if there is one, or from the processes that were
// started here.
bool Containment::nobody_is_left(const loop::Loop& loop) const {
  if (begun_ == 0) return false;
  if (init_.pid != 0) return lives(init_) && has_no_living_child(init_.pid);
  return !any_lives(known_) && has_no_orphan_since(loop, begun_);
}

// The init kills processes that our looks have missed. If it does not end, it was tampered with,
// and is killed.
void Containment::end_init() {
  constexpr int kLooks = 100;
  if (init_.pid == 0) return;
  for (const int signum : {kEndOrder, SIGCONT}) signal_process(init_.pid, init_.start, signum);
  for (int look = 0; look < kLooks && lives(init_); ++look) ::nanosleep(&kPause, nullptr);
  if (lives(init_)) signal_process(init_.pid, init_.start, SIGKILL);
  init_ = {};
}

}  // namespace orch::pty
