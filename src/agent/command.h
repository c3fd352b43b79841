#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "base/time.h"

namespace orch::agent {

// What a run wants of its agent. A driver turns commands into whatever its kind of agent takes:
// keystrokes for one that draws on a screen, a line on standard input or the next process for one
// that speaks JSON.

// Gets a message in. One at a time: the next one follows MessageAccepted or MessageFailed, and the
// end of the turn that it began.
struct Deliver {
  std::string id;    // names it in the news
  std::string text;  // as it came; the driver normalises it
  // Stands before the text, on a line of its own, where the text alone would be taken for a
  // command. Empty: such a text fails as would_be_command, unless `as_command`.
  std::string lead = {};
  bool as_command = false;  // a first character that means a command is meant
  // At a dialog the message is blocked after this long. kNever: whoever decides dialogs ends them.
  base::TimeMs dialog_patience_ms = base::kNever;
  base::TimeMs give_up_at = base::kNever;  // it has timed out if nothing was typed by then
};

// Takes the message under way back. Only while nothing of it was typed; then no news of it follow.
struct TakeBack {};

// Decides the dialog that DialogOpened told of. Nothing: it is left to a person.
struct Answer {
  std::optional<size_t> option;  // an index into DialogRequest::options
};

// Brings the agent back to an empty conversation; a message under way is taken back or given up.
// ResetEnded follows, unless the agent ends.
struct Reset {};

using Command = std::variant<Deliver, TakeBack, Answer, Reset>;

}  // namespace orch::agent
