#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "event/event.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "session/usage_files.h"

namespace orch::session {

// Keeps an eye on what an agent on a terminal writes down of its tokens: while it works, and at the
// ends of its turns.
class UsageWatch {
 public:
  struct Agent {
    pid_t pid = 0;        // 0: it has no process any more
    std::string session;  // of which it was told; "" when of none
  };
  // `who` tells of the agent as it is now; `on_usage`, what it took since it was called last. It is
  // called from the loop and from inside of look().
  UsageWatch(loop::Loop& loop, UsageFiles files, std::function<Agent()> who,
             std::function<void(const event::Usage&)> on_usage);

  void on_status(event::AgentStatus status);
  void look();  // now

 private:
  void poll();
  void tell_new();

  UsageFiles files_;
  std::function<Agent()> who_;
  std::function<void(const event::Usage&)> on_usage_;
  event::Usage told_;
  event::AgentStatus status_ = event::AgentStatus::kStarting;
  loop::Timer timer_;
};

}  // namespace orch::session
