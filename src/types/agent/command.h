#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"

namespace orch::agent {

// The commands that a run gives to its agent. A driver translates them for its kind of agent: into
// keystrokes for an agent that draws on a screen; into a line on standard input, or another
// process, for an agent that speaks JSON.

// Delivers a message to the agent. The run delivers one message at a time: it waits for
// MessageAccepted or MessageFailed, and for the end of the turn that the message began, before it
// sends the next one.
struct Deliver {
  std::string id;    // names the message in the news about it
  std::string text;  // as the sender wrote it; the driver normalises it
  // A line that is put before the text if the agent would otherwise take the text for a command. If
  // it is empty, a text like that fails as would_be_command, unless `as_command` is set.
  std::string lead = {};
  bool as_command = false;  // the text is meant as a command if its first character makes it one
  // If a dialog is open for this long, the message fails as blocked. kNever: wait until the dialog
  // is closed.
  base::TimeMs dialog_patience_ms = base::kNever;
  // The message fails with a timeout if nothing of it was typed by this moment.
  base::TimeMs give_up_at = base::kNever;
};

// Takes back the message under way. This is possible only while nothing of it was typed, and then
// no news of the message follows.
struct TakeBack {};

// Decides the dialog that DialogOpened announced.
struct Answer {
  // Indices into DialogRequest::options; without them the dialog is left to the user. Exactly one
  // is chosen; where the options have tick boxes, all options to tick are listed.
  std::optional<std::vector<size_t>> options;
};

// Brings the agent back to an empty conversation. A message under way is taken back or given up.
// ResetEnded follows, unless the agent's process ends.
struct Reset {};

using Command = std::variant<Deliver, TakeBack, Answer, Reset>;

}  // namespace orch::agent
