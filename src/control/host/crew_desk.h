#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "wire/message.h"

namespace orch::host {

// The services of a crew's host for the peers that connect to the sockets of its agents. Errors are
// kUsage unless a comment says otherwise. Implemented by CrewHost.
class CrewDesk {
 public:
  virtual ~CrewDesk() = default;

  // The agent that a process belongs to; nullopt: to none of this crew. Found by something that the
  // process cannot change: which child of this host it descends from.
  virtual std::optional<std::string> member_of(pid_t process) const = 0;
  // The message to send to `agent` for this nudge from `from`, an agent or a user. An error: the
  // agent is not active, the text cannot be sent, or the agents have sent each other too many
  // messages.
  virtual base::Result<wire::Send> take(const std::string& agent, const std::string& from,
                                        const wire::Nudge& nudge) = 0;
  // Puts a mail from `from` into the agent's inbox, and has the agent notified.
  virtual base::Status take_mail(const std::string& agent, const std::string& from,
                                 const std::string& text) = 0;
  // Starts an agent. After an error on_started is not called. Otherwise it is called once, perhaps
  // inside the call, and reports whether the agent runs. After forget_start() it is not called, but
  // the start goes on.
  virtual base::Status start_member(const std::string& agent,
                                    std::function<void(base::Status)> on_started) = 0;
  virtual void forget_start(const std::string& agent) = 0;
};

}  // namespace orch::host
