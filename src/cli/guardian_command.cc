#include "cli/guardian_command.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "pty/guard_duty.h"
#include "store/abandoned_run.h"
#include "store/session_file.h"

namespace orch::cli {

int run_guardian() {
  for (const pty::Guardian::Watched& run : pty::stand_guard(STDIN_FILENO)) {
    // Nobody is left to be told of a failure; orch gc tells what a dead host left.
    (void)store::close_abandoned_run(run.run_dir, std::chrono::system_clock::now());
    const std::filesystem::path runs = std::filesystem::path(run.run_dir).parent_path();
    // False: somebody else has begun a new session in its place.
    if (!run.session_key.empty()) store::remove_dead_session(runs.parent_path(), run.session_key);
  }
  return 0;
}

}  // namespace orch::cli
