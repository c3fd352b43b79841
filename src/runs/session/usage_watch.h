#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "event/event.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "session/usage_files.h"

namespace orch::session {

// Watches how many tokens an agent has used, as it writes it down itself: while the agent works,
// and at the end of each turn.
class UsageWatch {
 public:
  struct Agent {
    pid_t pid = 0;        // 0: it has no process any more
    std::string session;  // the one it was started with; "": unknown
  };
  // `who` describes the agent as it is now. `on_usage` gets the usage since its last call,
  // `on_line` each new line of the agent's record; they are called from the loop and from inside
  // look().
  UsageWatch(loop::Loop& loop, UsageFiles files, std::function<Agent()> who,
             std::function<void(const event::Usage&)> on_usage,
             std::function<void(std::string_view)> on_line = nullptr);

  void on_status(event::AgentStatus status);
  void look();  // now

 private:
  void poll();
  void tell_new();

  UsageFiles files_;
  std::function<Agent()> who_;
  std::function<void(const event::Usage&)> on_usage_;
  std::function<void(std::string_view)> on_line_;
  event::Usage told_;
  event::AgentStatus status_ = event::AgentStatus::kStarting;
  bool turn_ended_ = false;  // since the last poll
  loop::Timer timer_;
};

}  // namespace orch::session
