#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "wire/message.h"

namespace orch::host {

// What a crew's host does for those who speak at the sockets of its agents. Errors are kUsage
// unless they say otherwise.
class CrewDesk {
 public:
  virtual ~CrewDesk() = default;

  // Which of its agents a process belongs to; nothing: to none. It is told by what the process
  // cannot change: below which of this host's children it stands.
  virtual std::optional<std::string> member_of(pid_t process) const = 0;
  // What is to be sent to `agent` for this nudge of `from`, an agent or a person. An error: the
  // agent is not active, this is no text to send, or agents have spoken often enough.
  virtual base::Result<wire::Send> take(const std::string& agent, const std::string& from,
                                        const wire::Nudge& nudge) = 0;
  // Puts mail of `from` into the agent's inbox, and sees to it that the agent hears of it.
  virtual base::Status take_mail(const std::string& agent, const std::string& from,
                                 const std::string& text) = 0;
  // An error: it was refused, and nobody is told. Else `on_started` is told once, perhaps in the
  // call, whether it runs, unless that was forgotten: the start goes on then.
  virtual base::Status start_member(const std::string& agent,
                                    std::function<void(base::Status)> on_started) = 0;
  virtual void forget_start(const std::string& agent) = 0;
};

}  // namespace orch::host
