#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "event/status.h"

namespace orch::host {

// What a crew is to whoever leads it: agents with names and roles, on terminals of their own, that
// can be told something. Names are checked; an error is one line that names the agent. A call
// begins what it asks for; that it is done is seen in the agent's status and its session's events.
class AgentRunner {
 public:
  virtual ~AgentRunner() = default;

  // The place where agents are spawned: `.crew` in the project's folder.
  virtual base::Status create_session(const std::string& project) = 0;
  virtual base::Status destroy_session() = 0;  // ends all that still runs in it
  // How so many agents share the place that people look at. An error: not so many.
  virtual base::Status setup_layout(size_t count) = 0;

  // `cli` names a manifest of the registry; `model` "" is the CLI's own default. kUsage when it
  // runs already.
  virtual base::Status spawn(const std::string& name, const std::string& role,
                             const std::string& cli, const std::string& model) = 0;
  virtual base::Status stop(const std::string& name) = 0;
  virtual base::Status stop_all() = 0;

  // Only to an active agent; delivered when it is idle.
  virtual base::Status send_nudge(const std::string& name, const std::string& message) = 0;
  virtual base::Status write_inbox(const std::string& name, const std::string& from,
                                   const std::string& message) = 0;
  virtual base::Status reset_context(const std::string& name) = 0;  // and its role again

  virtual base::Result<event::AgentStatus> status(const std::string& name) const = 0;
  virtual std::map<std::string, event::AgentStatus> statuses() const = 0;
  // Its process lives and has its terminal: what is typed there reaches it and nobody else.
  virtual base::Result<bool> is_active(const std::string& name) const = 0;
};

}  // namespace orch::host
