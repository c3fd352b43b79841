#include "duties/guardian.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "duties/worktree.h"
#include "host/runtime_dir.h"
#include "pty/guard_duty.h"
#include "repo/worktree.h"
#include "setup/diagnostics.h"
#include "setup/own_programs.h"
#include "store/abandoned_run.h"
#include "store/session_file.h"

namespace orch::duties {

namespace {

constexpr int kLooks = 100;
constexpr std::chrono::milliseconds kPause{20};

std::string state_dir_of(const pty::Guardian::Watched& run) {
  return std::filesystem::path(run.run_dir).parent_path().parent_path();
}

// Removes the session of a run. A host whose pipe has ended may still be ending, and counts as
// living until it has ended, so this waits. If another host has begun a new session of that name,
// the session stays. It also stays if the host had it still in its queue when it began the run:
// remove_queue() knows of its worktree.
void remove_session(const std::string& state_dir, const pty::Guardian::Watched& run) {
  for (int look = 0; look < kLooks; ++look) {
    const std::optional<store::SessionRecord> session =
        store::session_of(state_dir, run.session_key);
    if (session && session->run != run.run) return;
    if (store::waited_for_dead_host(state_dir, run.session_key)) return;
    const auto& remove_socket = host::remove_dead_socket;
    if (store::remove_dead_session(state_dir, run.session_key, remove_socket)) return;
    std::this_thread::sleep_for(kPause);
  }
}

// Removes the sessions that waited for a slot of the dead host; also the worktree of the one whose
// turn had just come, if nothing is in it.
void remove_queue(const std::string& state_dir, pid_t host) {
  for (int look = 0; look < kLooks && ::getppid() == host; ++look) {
    std::this_thread::sleep_for(kPause);  // the host is still ending
  }
  const auto no_socket = [](const std::string& /*path*/) {};
  for (const std::string& key : store::unfinished_sessions(state_dir)) {
    if (store::is_held(state_dir, key)) continue;
    const std::optional<store::SessionRecord> waited = store::waited_for_dead_host(state_dir, key);
    if (!store::remove_dead_session(state_dir, key, no_socket) || !waited) continue;
    const repo::WorktreeRequest wanted{
        .repository = waited->repository, .issue = waited->issue, .folder = waited->cwd};
    const repo::Worktree worktree = repo::planned_worktree(wanted);
    if (waited->worktree == worktree.path && ::access(worktree.path.c_str(), F_OK) == 0) {
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
    // There is nobody to report a failure to; orch gc reports what a dead host left.
    (void)store::close_abandoned_run(run.run_dir, std::chrono::system_clock::now());
    if (!run.session_key.empty()) remove_session(state_dir_of(run), run);
  }
  if (!left.queue.empty()) remove_queue(left.queue, host);
  // The host may have been killed while it wrote the file of a session.
  store::remove_unfinished_files(left.queue.empty() ? state_dir_of(left.runs.front()) : left.queue);
  return 0;
}

}  // namespace orch::duties
