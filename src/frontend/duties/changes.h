#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch internal changes --work-dir D --snapshot FOLDER --head COMMIT [--own-file ID]... --to
// FILE`, which only orch itself starts, when an agent reports that it is done: writes the changes
// in the work directory, as JSON (store::FoundChanges).
int run_changes(std::span<const std::string> words);

}  // namespace orch::duties
