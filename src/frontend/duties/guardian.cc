#include "duties/guardian.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "base/log.h"
#include "duties/worktree.h"
#include "peer/session_socket.h"
#include "pty/guard_duty.h"
#include "repo/worktree.h"
#include "setup/diagnostics.h"
#include "setup/own_programs.h"
#include "store/abandoned_run.h"
#include "store/session_file.h"
#include "store/state_file.h"

namespace orch::duties {

namespace {

constexpr int kLooks = 100;
constexpr std::chrono::milliseconds kPause{20};

std::string state_dir_of(const pty::Guardian::Watched& run) {
  return std::filesystem::path(run.run_dir).parent_path().parent_path();
}

// Removes the session of a run. A host whose pipe has ended may still be ending, and counts as
// living until it has ended, so this waits. If another host has begun a new session of that name,
// the session stays. It also stays if the host still had it in its queue when it began the run:
// remove_queue() knows its worktree.
void remove_session(const std::string& state_dir, const pty::Guardian::Watched& run) {
  for (int look = 0; look < kLooks; ++look) {
    const store::Found<store::SessionRecord> session =
        store::session_of(state_dir, run.session_key);
    if (session.is_present() && session->run != run.run) return;
    if (!store::waited_for_dead_host(state_dir, run.session_key).is_absent()) return;
    const auto& remove_socket = peer::remove_dead_socket;
    if (store::remove_dead_session(state_dir, run.session_key, remove_socket)) return;
    std::this_thread::sleep_for(kPause);
  }
}

// Removes the sessions that waited for a slot of the dead host. If the turn of one of them had just
// come, also removes its worktree if that is empty.
void remove_queue(const std::string& state_dir, pid_t host) {
  for (int look = 0; look < kLooks && ::getppid() == host; ++look) {
    std::this_thread::sleep_for(kPause);  // the host is still ending
  }
  const auto no_socket = [](const std::string& /*path*/) {};
  const base::Result<store::UnfinishedSessions> unfinished = store::unfinished_sessions(state_dir);
  if (!unfinished) return base::log_warn("guardian", unfinished.error().text);
  for (const std::string& why : unfinished->unreadable) base::log_warn("guardian", why);
  for (const std::string& key : unfinished->keys) {
    if (!store::host_of(state_dir, key).is_absent()) continue;
    const store::Found<store::SessionRecord> waited = store::waited_for_dead_host(state_dir, key);
    if (waited.is_unknown() || !store::remove_dead_session(state_dir, key, no_socket)) continue;
    if (waited.is_absent()) continue;
    const repo::WorktreeRequest wanted{
        .repository = waited->repository, .issue = waited->issue, .folder = waited->cwd};
    const repo::Worktree worktree = repo::planned_worktree(wanted);
    if (waited->worktree == worktree.path && !store::is_absent(worktree.path)) {
      leave_fenced(worktree);
    }
  }
}

}  // namespace

int run_guardian() {
  const pid_t host = ::getppid();
  const pty::Left left = pty::stand_guard(STDIN_FILENO);
  if (left.runs.empty() && left.queue.empty()) return 0;
  setup::guard_own_programs();
  const char* variable = std::getenv("ORCH_LOG");
  setup::LogRequest wanted = setup::read_log_request(0, variable == nullptr ? "" : variable).wanted;
  wanted.on_stderr.reset();  // that was the host's
  setup::Diagnostics diagnostics;
  (void)diagnostics.begin(std::move(wanted));  // the host has reported an error
  if (!left.runs.empty()) diagnostics.keep_runs(state_dir_of(left.runs.front()));
  for (const pty::Guardian::Watched& run : left.runs) {
    base::log_warn("guardian", "the host is gone; what its run had started is ended", run.run);
    // A failure is reported in the run's log, because nobody else is left. If the files cannot be
    // read now, the session stays, so that orch gc or orch kill tries again.
    const base::Status closed =
        store::close_abandoned_run(run.run_dir, std::chrono::system_clock::now());
    if (!closed) {
      base::log_warn("guardian", "its end is not recorded: " + closed.error().text, run.run);
      if (store::is_refused(closed.error())) continue;
    }
    if (!run.session_key.empty()) remove_session(state_dir_of(run), run);
  }
  if (!left.queue.empty()) remove_queue(left.queue, host);
  // The host may have been killed while it wrote the file of a session.
  store::remove_unfinished_files(left.queue.empty() ? state_dir_of(left.runs.front()) : left.queue);
  return 0;
}

}  // namespace orch::duties
