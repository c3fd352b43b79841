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

// What a member's start needs of another program, done beside the loop. Destroyed early it is given
// up: the program is killed, and nobody is told.
class Preparation {
 public:
  virtual ~Preparation() = default;
  // What comes of it goes into `setup`, which outlives this. `on_done` is called once, from the
  // loop, and may destroy this. An error, which names the program: the member cannot be started.
  // Each has a limit of its own.
  virtual void begin(loop::Loop& loop, session::SessionSetup& setup,
                     std::function<void(base::Status)> on_done) = 0;
};

// What a member's session is made of, and what has to be done before it can start: the preparations
// one after the other, then a worktree if the setup wishes for one, then its place.
struct MemberPlan {
  session::SessionSetup setup;
  std::vector<std::unique_ptr<Preparation>> preparations = {};
  std::unique_ptr<Preparation> place = nullptr;

  bool has_to_wait() const {
    return !preparations.empty() || setup.worktree_wish.has_value() || place != nullptr;
  }
};

// One start of a member, from its plan to a session that can be started at once, for which nobody
// waits. Meanwhile others see that it is queued; who takes it out of the queue cancels it, as
// cancel() does: then no session comes of it, and the worktree goes that was made for it.
class MemberStart {
 public:
  // Called from the loop, or from inside cancel().
  struct Callbacks {
    // Once. The setup is queued: forget_queued() is for who does not start it.
    std::function<void(base::Result<session::SessionSetup>)> on_ready;
    // The last call, from the loop: nothing is under way any more. It destroys this.
    std::function<void()> on_over;
    std::function<void(const std::string& note)> say;  // what a person is to know of the worktree
  };
  MemberStart(loop::Loop& loop, MemberPlan plan, Callbacks callbacks);
  MemberStart(const MemberStart&) = delete;
  MemberStart& operator=(const MemberStart&) = delete;

  // An error: another session is in its place, and nothing was begun.
  base::Status begin();
  // After on_ready() it does nothing. Gives git 4 s to end what it has begun, and 4 s to undo it.
  void cancel(const std::string& why);
  // Nor does it wait for git any more: a worktree may stay half made.
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
  bool opening_ = false;  // git makes its worktree
  std::optional<WorktreeDesk> desk_;
  loop::Timer look_, next_;
};

}  // namespace orch::host
