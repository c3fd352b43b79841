#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::task_run {

// Writes <repo>/.agent-runner/task-<id>.md, as a whole or not at all, and returns its path. The
// folder is made if it is missing. A symbolic link in its place is an error, because a worker may
// have planted it.
base::Result<std::string> write_note_file(const std::string& repo, std::string_view id,
                                          std::string_view text);

}  // namespace orch::task_run
