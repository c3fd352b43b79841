#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch internal snapshot --work-dir D --to RUN-FOLDER/snapshot [--closed PLACE]... [--seconds N]
// [--json]`, which only orch itself starts, before the agent: saves the files for `orch undo`.
// Files that are unchanged since the last run in the same directory are shared with that run's
// snapshot. Returns 0, with one line on stderr if something was left out; 125 and one line if no
// snapshot was possible, or not within N seconds.
//
// With `--end` it saves the state at the run's end into RUN-FOLDER/snapshot-end, for comparisons
// only: it shares unchanged files with RUN-FOLDER/snapshot, and has no objects of git's.
int run_snapshot(std::span<const std::string> words);

}  // namespace orch::duties
