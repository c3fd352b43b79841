#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "loop/loop.h"
#include "pty/tool_queue.h"
#include "repo/worktree.h"

namespace orch::host {

// Makes the worktrees of a host's sessions when their turns come, and takes back those in which
// nothing was begun. git works in processes of orch's own, one after the other, beside the loop.
// Destroyed early it kills the one that works; what it had made by then stays.
class WorktreeDesk {
 public:
  // A large tree on a slow disk is allowed so long.
  static constexpr int64_t kPatienceMs = 5 * 60'000;

  explicit WorktreeDesk(loop::Loop& loop);

  // These are told once, from the loop; what is called must not destroy the desk.
  void open(const repo::WorktreeWish& wish,
            std::function<void(base::Result<repo::Worktree>)> on_opened);
  void leave(const repo::Worktree& worktree, std::function<void()> on_left);

 private:
  pty::ToolQueue git_;
};

}  // namespace orch::host
