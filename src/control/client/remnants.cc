#include "client/remnants.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "pty/cgroup.h"
#include "pty/containment.h"

namespace orch::client {
namespace {

using store::SessionRecord;
using store::SessionStatus;

constexpr std::chrono::milliseconds kPolitely{5'000};
// A process that hangs in the kernel would outlive any time.
constexpr std::chrono::milliseconds kByForce{2'000};
constexpr std::chrono::milliseconds kPause{20};
constexpr size_t kMostNamed = 8;

// The other session that has the run, and runs.
store::Presence other_of_run(const std::string& state_dir, const SessionRecord& session) {
  const auto others = store::list_sessions(state_dir);
  if (!others) return others.error();
  for (const SessionRecord& other : *others) {
    if (other.key == session.key || other.status != SessionStatus::kRunning) continue;
    if (other.run == session.run) return base::Ok{};
    if (other.run.empty() && !other.unreadable.empty()) {
      return base::Error{base::ErrorCode::kSystem, other.unreadable};
    }
  }
  return store::Presence::absent();
}

// Whether the processes with the run's mark may be ended, since no host or other session has them.
base::Result<bool> may_have_remnants(const std::string& state_dir, const SessionRecord& session) {
  if (session.run.empty() || !session.ended.empty()) return false;
  if (session.status == SessionStatus::kRunning) return false;
  const store::Presence other = other_of_run(state_dir, session);
  if (other.is_unknown()) return other.error();
  return other.is_absent();
}

pty::Containment processes_of(const SessionRecord& session) {
  return pty::Containment(session.run, pty::Cgroup::find_anywhere(session.run));
}

// Repeats `step`, which returns how many processes live, until none does or the time is over.
void repeat(std::chrono::milliseconds limit, const std::function<size_t()>& step) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (step() > 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kPause);
  }
}

std::string named(const std::vector<pid_t>& pids) {
  std::string text;
  for (size_t i = 0; i < std::min(pids.size(), kMostNamed); ++i) {
    text += (i == 0 ? "" : " ") + std::to_string(pids[i]);
  }
  return pids.size() > kMostNamed ? text + " ..." : text;
}

}  // namespace

base::Result<std::vector<pid_t>> remnants_of(const std::string& state_dir,
                                             const SessionRecord& session) {
  const base::Result<bool> possible = may_have_remnants(state_dir, session);
  if (!possible) return possible.error();
  return *possible ? processes_of(session).living() : std::vector<pid_t>();
}

base::Status end_remnants(const std::string& state_dir, const SessionRecord& session, Mercy mercy) {
  const base::Result<bool> possible = may_have_remnants(state_dir, session);
  if (!possible) return possible.error();
  if (!*possible) return base::Ok{};
  pty::Containment processes = processes_of(session);
  if (mercy == Mercy::kSome) {
    repeat(kPolitely, [&] { return processes.ask_to_end(); });
  } else {
    repeat(kByForce, [&] {
      processes.kill();
      return processes.count();
    });
  }
  const std::vector<pid_t> left = processes.living();
  if (left.empty()) {
    repeat(kByForce, [&] { return processes.remove_cgroup() ? 0U : 1U; });
    return base::Ok{};
  }
  return base::Error{
      base::ErrorCode::kSystem,
      "session " + session.name + ": its host is gone, and " + std::to_string(left.size()) +
          (mercy == Mercy::kSome ? " of its processes do not end when they are asked to"
                                 : " of its processes cannot be killed") +
          " (pid " + named(left) + "), so it stays listed" +
          (mercy == Mercy::kSome ? "; orch kill --now ends them"
                                 : "; end them with kill -KILL, and ask again")};
}

base::Status check_gone(const std::string& state_dir, const SessionRecord& session,
                        pty::ProcessId spared) {
  if (session.run.empty()) return base::Ok{};
  const store::Presence other = other_of_run(state_dir, session);
  if (other.is_unknown()) return other.error();
  if (other.is_present()) return base::Ok{};
  pty::Containment processes = processes_of(session);
  processes.spare(spared);
  std::vector<pid_t> left;
  repeat(kByForce, [&] {
    left = processes.living();
    return left.size();
  });
  if (left.empty()) return base::Ok{};
  return base::Error{base::ErrorCode::kSystem,
                     "session " + session.name + ": of its processes " +
                         std::to_string(left.size()) + " live on (pid " + named(left) +
                         "); end them with kill -KILL, which waits, too, for what holds them: a "
                         "frozen control group, a device"};
}

}  // namespace orch::client
