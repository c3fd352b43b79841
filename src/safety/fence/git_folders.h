#pragma once

#include <string>
#include <vector>

namespace orch::fence {

// The folders outside of `work_dir` where git keeps its data: the .git of a repository around it,
// or for a linked worktree or a submodule its own git folder and the common one. A .git file may
// say anything, so a folder counts only if it names the worktree in turn. Without symbolic links.
std::vector<std::string> git_folders_of(const std::string& work_dir);

}  // namespace orch::fence
