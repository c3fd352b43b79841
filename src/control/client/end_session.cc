#include "client/end_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>

#include "client/client.h"
#include "client/kept_sessions.h"
#include "client/remnants.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "peer/peer_process.h"
#include "peer/session_socket.h"
#include "pty/cgroup.h"
#include "pty/containment.h"
#include "pty/guardian.h"
#include "pty/proc_file.h"
#include "pty/process_identity.h"
#include "pty/process_table.h"
#include "store/abandoned_run.h"
#include "store/queued_session.h"
#include "store/state_file.h"

namespace orch::client {

using base::Result;
using base::Status;
using store::SessionRecord;
using store::SessionStatus;

namespace {

// The stop ladder takes the time for the agent's quit keys, 5 s after SIGTERM, and the time to
// drain its terminal.
constexpr int64_t kEndMs = 15'000;
// A killed process leaves its control group within milliseconds.
constexpr int64_t kCgroupMs = 1'000;
constexpr int64_t kGuardianMs = 10'000;  // a guardian takes 8 s at most
// A command that removes the session of a dead host holds its lock for milliseconds.
constexpr int64_t kRemovalMs = 1'000;
constexpr int64_t kPauseMs = 20;

base::Error error_of(const SessionRecord& session, const std::string& text) {
  return {base::ErrorCode::kSystem, "session " + session.name + " " + text};
}

bool wait_until(const std::function<bool()>& reached, int64_t patience_ms = kEndMs) {
  loop::Loop loop;
  loop::Timer timer(loop);
  const int64_t until = loop.now_ms() + patience_ms;
  bool there = false;
  const std::function<void()> look = [&] {
    there = reached();
    if (there || loop.now_ms() >= until) return loop.stop();
    timer.start(kPauseMs, look);
  };
  timer.start(0, look);
  loop.run();
  return there;
}

// The session's file as it is now; absent when it is gone. While the session of a dead host is
// being removed, it is locked, and seems to run: this waits until that is over.
store::Found<SessionRecord> settled(const std::string& state_dir, const std::string& key) {
  store::Found<SessionRecord> now = store::session_of(state_dir, key);
  const auto is_settled = [&] {
    now = store::session_of(state_dir, key);
    return !now.is_present() || now->status != SessionStatus::kRunning ||
           pty::whereabouts(now->host) != pty::Whereabouts::kEnded;
  };
  wait_until(is_settled, kRemovalMs);
  return now;
}

// The names, separated by spaces, of the other sessions that would end with the host.
Result<std::string> others_of_host(const std::string& state_dir, const SessionRecord& session,
                                   std::span<const SessionRecord> all_named) {
  const Result<std::vector<SessionRecord>> sessions = store::list_sessions(state_dir);
  if (!sessions) return sessions.error();
  std::string names;
  for (const SessionRecord& other : *sessions) {
    // A file that cannot be read may name this host.
    if (other.status == SessionStatus::kRunning && !other.unreadable.empty() &&
        other.key != session.key) {
      return base::Error{base::ErrorCode::kSystem, other.unreadable};
    }
    const auto is_other = [&other](const SessionRecord& named) { return named.key == other.key; };
    const bool named = std::any_of(all_named.begin(), all_named.end(), is_other);
    if (other.host == session.host && !named && other.key != session.key) {
      names += (names.empty() ? "" : " ") + other.name;
    }
  }
  return names;
}

std::string remedy_elsewhere(const SessionRecord& session) {
  return "end it there, or if it is gone: orch gc --forget " + session.key;
}

// The same if the file or lock of the session cannot be read.
std::string why_unseen(const SessionRecord& session) {
  return session.unreadable.empty() ? "" : "cannot be read: " + session.unreadable;
}

// Why no process may be signalled for this session; "" if the pid in its record is certainly its
// host's.
std::string why_not_force(const std::string& state_dir, const SessionRecord& session) {
  if (const std::string elsewhere = why_elsewhere(session); !elsewhere.empty()) {
    return elsewhere + ", and does not answer; " + remedy_elsewhere(session);
  }
  if (std::string unseen = why_unseen(session); !unseen.empty()) return unseen;
  const std::string pid = std::to_string(session.host.pid);
  switch (pty::whereabouts(session.host)) {
    case pty::Whereabouts::kHere:
      break;
    case pty::Whereabouts::kUnknown:
      return "does not say enough of its host to kill it: if pid " + pid +
             " is an orch, end it with kill -KILL " + pid;
    case pty::Whereabouts::kEnded:
    case pty::Whereabouts::kOtherNamespace:
    case pty::Whereabouts::kOtherMachine:
      return "is held by a process that is not the host it names: pid " + pid +
             " is gone or another's; nothing was killed";
  }
  const store::Presence host = store::host_of(state_dir, session.key);
  if (host.is_unknown()) return "is not ended: " + host.error().text;
  if (host.is_present()) return "";
  return "has lost its lock, so that pid " + pid +
         " may not be its host any more; nothing was killed";
}

// Finds the host's guardian. An agent can move the guardian into the agent's own control group, and
// can imitate its command line; but the guardian is older than the first agent, so it is the oldest
// of the host's children with that command line.
pty::ProcessId guardian_of(const pty::ProcessIdentity& host) {
  pty::ProcessId eldest;
  for (const pty::ProcessEntry& process : pty::living_processes()) {
    if (process.parent != host.pid || (eldest.pid != 0 && process.start >= eldest.start)) continue;
    if (pty::read_proc(process.pid, "cmdline") != pty::guardian_command_line()) continue;
    eldest = {process.pid, process.start};
  }
  return eldest;
}

// The session's host has said that the session has ended, or is gone. Neither proves that all
// processes of the run have ended, so this looks.
Result<std::string> once_gone(const std::string& state_dir, const SessionRecord& session) {
  if (Status s = check_gone(state_dir, session, guardian_of(session.host)); !s) return s.error();
  return std::string();
}

// Kills the processes of this session only; the host and its other sessions are not touched.
Result<std::string> kill_run_alone(const std::string& state_dir, const SessionRecord& session,
                                   pty::Containment& processes, const std::string& others) {
  const pty::ProcessId guardian = guardian_of(session.host);
  processes.spare(guardian);
  processes.kill();
  if (Status s = check_gone(state_dir, session, guardian); !s) return s.error();
  return fmt::format(
      "{}: its processes are killed; its host, pid {}, does not answer and stays for {}, so it is "
      "listed until that goes on",
      session.name, session.host.pid, others);
}

// Ends a session whose host is gone. Processes of the run may live on if its guardian is gone, too.
Result<std::string> end_dead(const std::string& state_dir, const SessionRecord& session,
                             Manner manner) {
  const Result<std::vector<pid_t>> remnants = remnants_of(state_dir, session);
  if (!remnants) return error_of(session, "is not ended: " + remnants.error().text);
  if (!remnants->empty()) {
    if (const std::string refusal = peer::refusal_of_this_process(); !refusal.empty()) {
      return base::usage_error("session " + session.name + ": " + refusal);
    }
    const Mercy mercy = manner == Manner::kAtOnce ? Mercy::kNone : Mercy::kSome;
    if (Status s = end_remnants(state_dir, session, mercy); !s) return s.error();
  }
  Status removed = remove_dead_session(state_dir, session);
  // It is fine if a host has it, which must be another one by now: this one has ended.
  if (removed || removed.error().code == base::ErrorCode::kUsage) return std::string();
  return removed.error();
}

base::Error not_ended(const std::string& state_dir, const SessionRecord& session) {
  const store::Found<SessionRecord> now = still(state_dir, session);
  if (now.is_unknown()) return error_of(session, "may not have ended: " + now.error().text);
  return error_of(session, "has not ended after 15 s");
}

Result<std::string> end_by_force(const std::string& state_dir, const SessionRecord& session,
                                 std::span<const SessionRecord> all_named) {
  if (const std::string why = why_not_force(state_dir, session); !why.empty()) {
    return error_of(session, why);
  }
  pty::Containment processes(session.run,
                             pty::Cgroup::find(pty::cgroup_of(session.host.pid), session.run));
  const Result<std::string> others = others_of_host(state_dir, session, all_named);
  if (!others) return others.error();
  if (!others->empty()) return kill_run_alone(state_dir, session, processes, *others);
  if (!pty::signal_process(session.host.pid, session.host.start, SIGKILL)) {
    return error_of(session,
                    fmt::format("has a host, pid {}, that cannot be killed", session.host.pid));
  }
  if (!wait_until([&] { return !may_run(state_dir, session); })) {
    return not_ended(state_dir, session);
  }
  // The guardian removes the session's file when it is done. If the guardian is gone, too, its work
  // is done here.
  if (!wait_until([&] { return still(state_dir, session).is_absent(); }, kGuardianMs)) {
    processes.kill();
    wait_until([&] { return processes.remove_cgroup(); }, kCgroupMs);
    const store::Found<SessionRecord> now = still(state_dir, session);
    if (now.is_unknown()) return now.error();
    if (now.is_present()) return end_dead(state_dir, *now, Manner::kAtOnce);
  }
  return once_gone(state_dir, session);
}

// A queued session has no socket, and it may begin while this tries to remove it from the queue.
Result<std::string> end_queued(const std::string& state_dir, const SessionRecord& session,
                               Manner manner, std::span<const SessionRecord> all_named) {
  if (const std::string refusal = peer::refusal_of_this_process(); !refusal.empty()) {
    return base::usage_error("session " + session.name + ": " + refusal);
  }
  store::Found<SessionRecord> now = store::Found<SessionRecord>::absent();
  const auto is_over = [&] {
    const store::Presence taken = store::unqueue_session(state_dir, session.key);
    if (taken.is_present()) return true;
    if (taken.is_unknown()) {
      now = taken.error();
      return true;
    }
    now = store::session_of(state_dir, session.key);
    return !now.is_present() || now->status != SessionStatus::kQueued;
  };
  if (!wait_until(is_over)) return error_of(session, "stays in the queue of its host");
  if (now.is_unknown()) return error_of(session, "is not ended: " + now.error().text);
  if (now.is_absent()) return std::string();
  return end_session(state_dir, *now, manner, all_named);
}

// Records in the run's files that it has ended. An error if they cannot be read now; damaged files
// stay as they are.
Status record_end(const std::string& state_dir, const SessionRecord& session) {
  if (session.run.empty()) return base::Ok{};  // it never began, or its file could not be read
  const Status closed = store::close_abandoned_run(state_dir + "/runs/" + session.run,
                                                   std::chrono::system_clock::now());
  if (closed || !store::is_refused(closed.error())) return base::Ok{};
  return base::Error{base::ErrorCode::kSystem,
                     "session " + session.name +
                         ": the end of its run cannot be recorded: " + closed.error().text};
}

}  // namespace

Result<std::string> end_session(const std::string& state_dir, const SessionRecord& session,
                                Manner manner, std::span<const SessionRecord> all_named) {
  if (session.status == SessionStatus::kQueued)
    return end_queued(state_dir, session, manner, all_named);
  if (session.status != SessionStatus::kRunning) return end_dead(state_dir, session, manner);
  loop::Loop loop;
  const Result<wire::Answer> answer =
      ask(loop, state_dir, session, wire::Kill{.now = manner == Manner::kAtOnce});
  if (!answer) {
    const store::Found<SessionRecord> now = settled(state_dir, session.key);
    if (now.is_unknown()) return error_of(session, "is not ended: " + now.error().text);
    if (now.is_absent()) return once_gone(state_dir, session);
    const bool refused = answer.error().code == base::ErrorCode::kUsage;
    if (refused || now->run != session.run) return answer.error();
    if (now->status != SessionStatus::kRunning) return end_dead(state_dir, *now, manner);
    if (const std::string refusal = peer::refusal_of_this_process(); !refusal.empty()) {
      return base::usage_error("session " + session.name + ": " + refusal);
    }
    if (manner == Manner::kAtOnce) return end_by_force(state_dir, session, all_named);
    if (const std::string unseen = why_unseen(session); !unseen.empty()) {
      return error_of(session, unseen);
    }
    const bool elsewhere = !why_elsewhere(session).empty();
    const std::string remedy =
        elsewhere ? remedy_elsewhere(session) : "orch kill --now ends it all the same";
    return base::Error{answer.error().code, answer.error().text + "; " + remedy};
  }
  if (wait_until([&] { return !may_run(state_dir, session); })) {
    return once_gone(state_dir, session);
  }
  return not_ended(state_dir, session);
}

Status remove_dead_session(const std::string& state_dir, const SessionRecord& session,
                           store::Witness witness) {
  const bool is_known = witness == store::Witness::kSystem;
  if (is_known) {
    const Result<std::vector<pid_t>> remnants = remnants_of(state_dir, session);
    if (!remnants) return remnants.error();
    if (!remnants->empty()) {
      return base::usage_error("session " + session.name + ": some of its processes live");
    }
  }
  // The run has ended, too. This is recorded first, in case no guardian did it: without its session
  // nobody would come back to the run. If only the user says that the host is gone, it is recorded
  // once the place is ours.
  const bool is_dead = is_known && session.status == SessionStatus::kErrored;
  if (is_dead) {
    if (Status s = record_end(state_dir, session); !s) return s;
  }
  if (Status s =
          store::remove_dead_session(state_dir, session.key, peer::remove_dead_socket, witness);
      !s) {
    return s;
  }
  remove_from_manager(session);
  return is_dead ? Status(base::Ok{}) : record_end(state_dir, session);
}

}  // namespace orch::client
