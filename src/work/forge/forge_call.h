#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "forge/answer.h"
#include "pty/tool.h"

namespace orch::forge {

// gh has no time limit of its own and never tries twice.
inline constexpr pty::ToolLimits kForgeLimits{.patience_ms = 60'000, .bytes = 32 << 20};

// Runs `gh` with these words, as the user and with the user's login, and returns its answer
// whatever its exit code is. Variables by which gh would ask, draw or print more are left out.
// Blocks. Errors: kUsage if there is no gh, kSystem if it gave no answer in time.
base::Result<Answer> call_forge(const std::vector<std::string>& words,
                                const pty::ToolLimits& limits = kForgeLimits);
// The same with `glab`, for GitLab.
base::Result<Answer> call_gitlab(const std::vector<std::string>& words,
                                 const pty::ToolLimits& limits = kForgeLimits);

}  // namespace orch::forge
