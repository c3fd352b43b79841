#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "loop/loop.h"
#include "pty/tool_queue.h"
#include "repo/worktree.h"

namespace orch::host {

// Makes the worktrees of a host's sessions when their turns come, and removes the worktrees of
// sessions that did not start. git runs in helper processes of orch, one after the other, without
// blocking the loop. If this is destroyed early, the running helper is killed; anything it has made
// by then stays.
class WorktreeDesk {
 public:
  // How long git may take for one worktree, which may be large and on a slow disk.
  static constexpr int64_t kPatienceMs = 5 * 60'000;
  // How long it may take to end its work for a start that the user has cancelled, and again to undo
  // that.
  static constexpr int64_t kLastMs = 4'000;

  explicit WorktreeDesk(loop::Loop& loop);

  // The callbacks are called once, from the loop; they must not destroy the desk.
  void open(const repo::WorktreeRequest& wanted,
            std::function<void(base::Result<repo::Worktree>)> on_opened);
  void leave(const repo::Worktree& worktree, std::function<void()> on_left);

 private:
  pty::ToolQueue git_;
};

}  // namespace orch::host
