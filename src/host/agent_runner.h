#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "event/status.h"

namespace orch::host {

// Runs the agents of a crew for whoever leads it: agents with names and roles, on terminals of
// their own, that can be sent messages. Names are checked; an error is one line that names the
// agent. A call only begins what it asks for; that it is done shows in the agent's status and in
// the events of its session.
class AgentRunner {
 public:
  virtual ~AgentRunner() = default;

  // Opens the crew's folder `.crew` in the project's folder. Agents can be spawned after this.
  virtual base::Status create_session(const std::string& project) = 0;
  virtual base::Status destroy_session() = 0;  // ends all agents that still run
  // Prepares the place that people look at for `count` agents. An error: there cannot be so many.
  virtual base::Status setup_layout(size_t count) = 0;

  // `cli` names a manifest of the registry; `model` "" is the CLI's own default. kUsage if the
  // agent runs already.
  virtual base::Status spawn(const std::string& name, const std::string& role,
                             const std::string& cli, const std::string& model) = 0;
  virtual base::Status stop(const std::string& name) = 0;
  virtual base::Status stop_all() = 0;

  // Sends a message, to an active agent only; it is delivered when the agent is idle.
  virtual base::Status send_nudge(const std::string& name, const std::string& message) = 0;
  virtual base::Status write_inbox(const std::string& name, const std::string& from,
                                   const std::string& message) = 0;
  // Empties the agent's conversation; then it gets its role again.
  virtual base::Status reset_context(const std::string& name) = 0;

  virtual base::Result<event::AgentStatus> status(const std::string& name) const = 0;
  virtual std::map<std::string, event::AgentStatus> statuses() const = 0;
  // Whether the agent's process lives and is in front on its terminal, so that keys reach it and
  // nobody else.
  virtual base::Result<bool> is_active(const std::string& name) const = 0;
};

}  // namespace orch::host
