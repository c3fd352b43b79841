#include "pty/containment.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "loop/loop.h"

namespace orch::pty {
namespace {

// How often to look for processes that a look may have missed, and the pause before looking again
// at those in the middle of exec. Nothing that forks or execs for ever keeps us here.
constexpr int kMaxLooks = 20;
constexpr timespec kPause{0, 1'000'000};

std::vector<Sighted> sight_all(std::string_view run_id) {
  std::vector<Sighted> all;
  for (const ProcessEntry& process : living_processes()) {
    // Session 0 is the kernel's threads' and that of a leader outside of our pid namespace.
    const Mark mark = process.session == 0 ? Mark::kNone : read_mark(process.pid, run_id);
    all.push_back({process, mark});
  }
  return all;
}

// Signals each process that `look` finds, once, until it finds no new one and can tell all. Returns
// those that could be signalled.
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

void kill_all(const Known& processes) {
  for (const auto& [pid, start] : processes) signal_process(pid, start, SIGKILL);
}

}  // namespace

base::Status become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return base::system_error("become a child subreaper", errno);
  }
  return base::Ok{};
}

size_t reap_orphans(const loop::Loop& loop) {
  siginfo_t ended{};
  const bool any =
      ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0;
  if (!any) return 0;
  size_t count = 0;
  for (const pid_t pid : all_pids()) {
    if (!loop.watches_child(pid) && ::waitpid(pid, nullptr, WNOHANG) == pid) ++count;
  }
  return count;
}

size_t kill_strays(const loop::Loop& loop, uint64_t since) {
  Known strays;
  const Known frozen = signal_until_quiet(SIGSTOP, [&] {
    const std::vector<Sighted> all = sight_all({});
    for (const auto& [process, mark] : all) {
      const bool ours = process.parent == ::getpid() && !loop.watches_child(process.pid);
      if (ours && process.start > since) strays[process.pid] = process.start;
    }
    return family_in(all, strays, ::getpid());
  });
  kill_all(frozen);
  return frozen.size();
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

Containment::Containment(std::string run_id, std::unique_ptr<Cgroup> cgroup)
    : run_id_(std::move(run_id)), cgroup_(std::move(cgroup)) {}

void Containment::led_by(pid_t pid) {
  if (const std::optional<ProcessEntry> leader = read_process(pid)) known_[pid] = leader->start;
}

Family Containment::look() {
  const std::vector<Sighted> all = sight_all(run_id_);
  if (cgroup_) {
    const std::vector<pid_t> pids = cgroup_->processes();
    const std::set<pid_t> inside(pids.begin(), pids.end());
    for (const Sighted& seen : all) {
      if (inside.contains(seen.process.pid)) known_[seen.process.pid] = seen.process.start;
    }
  }
  Family family = family_in(all, known_, ::getpid());
  for (const ProcessEntry& process : family.members) known_[process.pid] = process.start;
  return family;
}

size_t Containment::count() { return look().members.size(); }

size_t Containment::ask_to_end() {
  size_t living = 0;
  for (const ProcessEntry& process : look().members) {
    const bool first = asked_.emplace(process.pid, process.start).second;
    if (!signal_process(process.pid, process.start, first ? SIGTERM : 0)) continue;
    // A stopped process takes the other signal only when it continues.
    if (first) signal_process(process.pid, process.start, SIGCONT);
    ++living;
  }
  return living;
}

size_t Containment::kill() {
  const Known frozen = signal_until_quiet(SIGSTOP, [this] { return look(); });
  if (cgroup_) cgroup_->kill();
  kill_all(frozen);
  return frozen.size();
}

}  // namespace orch::pty
