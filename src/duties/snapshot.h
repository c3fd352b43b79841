#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch snapshot --work-dir D --to RUN-FOLDER/snapshot [--json]`, which only orch itself starts,
// before an agent is: keeps what `orch undo` brings back. What is unchanged since the last run in
// the same directory is shared with that run's snapshot. 0, and one line on stderr when something
// was left out; 125 and one line when no snapshot was possible.
int run_snapshot(std::span<const std::string> words);

}  // namespace orch::duties
