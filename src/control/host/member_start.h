#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/worktree_desk.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "session/session.h"

namespace orch::host {

// The work of another program before a member can start, run without blocking the loop. If it is
// destroyed early, the program is killed, and on_done is not called.
class Preparation {
 public:
  virtual ~Preparation() = default;
  // Puts its result into `setup`, which outlives this. `on_done` is called once, from the loop, and
  // may destroy this. An error, which names the program: the member cannot be started. Each
  // preparation has a time limit of its own.
  virtual void begin(loop::Loop& loop, session::SessionSetup& setup,
                     std::function<void(base::Status)> on_done) = 0;
};

// A member's setup, and the steps before its session can start: the preparations one after the
// other, then a worktree if the setup wishes for one, then the preparation of its place.
struct MemberPlan {
  session::SessionSetup setup;
  std::vector<std::unique_ptr<Preparation>> preparations = {};
  std::unique_ptr<Preparation> place = nullptr;

  bool has_to_wait() const {
    return !preparations.empty() || setup.worktree_request.has_value() || place != nullptr;
  }
};

// One start of a member, from its plan to a session that can be started without waiting. Until then
// the session is listed as queued. It is cancelled by cancel(), or by anybody who takes it out of
// the queue: then no session starts, and the worktree that was made for it is removed.
class MemberStart {
 public:
  // Called from the loop, or from inside cancel().
  struct Callbacks {
    // Called once. The setup is still queued: if it is not started, forget_queued() has to be
    // called.
    std::function<void(base::Result<session::SessionSetup>)> on_ready;
    // The last call, from the loop: nothing is under way any more. The callee destroys this.
    std::function<void()> on_over;
    // Reports something about the worktree to the user.
    std::function<void(const std::string& note)> say;
  };
  MemberStart(loop::Loop& loop, MemberPlan plan, Callbacks callbacks);
  MemberStart(const MemberStart&) = delete;
  MemberStart& operator=(const MemberStart&) = delete;

  // An error: another session is in its place, and no step was begun.
  base::Status begin();
  // Has no effect after on_ready(). Gives git 4 s to end its work, and 4 s to undo it.
  void cancel(const std::string& why);
  // Does not wait for git any longer either: a worktree may stay half made.
  void abandon();

 private:
  enum class Phase : uint8_t { kPreparing, kWorktree, kPlace, kReady, kLeaving, kOver };

  void go_on();
  void prepare(Preparation& preparation);
  void on_prepared(const base::Status& done);
  void open_worktree();
  void on_opened(base::Result<repo::Worktree> worktree);
  void look_at_queue();
  void fail(base::Error why);
  void leave();
  void end();

  loop::Loop& loop_;
  MemberPlan plan_;
  Callbacks callbacks_;
  Phase phase_ = Phase::kPreparing;
  size_t prepared_ = 0;
  bool opening_ = false;  // git is making the worktree
  std::optional<WorktreeDesk> desk_;
  loop::Timer look_, next_;
};

}  // namespace orch::host
