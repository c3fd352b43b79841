#pragma once

#include <string>

#include "task/task_facts.h"

namespace orch::task_run {

// The state of a repository: its branch and commit, and the names in its root folder. Waits for
// git.
task::RepoFacts repo_facts(const std::string& repo);

}  // namespace orch::task_run
