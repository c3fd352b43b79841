#pragma once

#include <string>
#include <variant>

#include "agent/delivery_result.h"
#include "agent/dialog_request.h"
#include "agent/line.h"
#include "event/event.h"

namespace orch::agent {

// The news that a driver reports about its agent, in the order of the events. A confirmed status is
// an event::StatusChange, a settled line of the transcript is a Line. Lines that settled before the
// status changed are reported before the StatusChange.

// A part of the message was typed: from now on the message cannot be taken back.
struct MessageTyped {
  std::string id;
};
// The message was submitted for the first time: the agent's words from now on answer it.
struct MessageEntered {
  std::string id;
};
struct MessageAccepted {
  std::string id;
  int enters = 0;  // how often it had to be submitted
};
struct MessageFailed {
  std::string id;
  DeliveryResult result = DeliveryResult::kUnconfirmed;
  std::string reason;  // one line
  int enters = 0;
};

// The agent's own record, in its session file, of the turn that ends next. Only agents that keep a
// session file have this news.
struct Recorded {
  std::string last_words;   // markdown, as the model wrote them; "" when the model said nothing
  bool tool_after = false;  // the model used a tool after these words
};

// The turn is over and the agent rests. A turn begins with an accepted message, or with a message
// that a user typed by hand.
struct TurnEnded {};

// The agent opened a dialog and waits; the command Answer decides it. If the driver cannot answer
// the dialog, `trouble` says why in one line, and the dialog is left to the user.
struct DialogOpened {
  DialogRequest request;
  std::string trouble = {};
};
// The first key of the answer was typed.
struct DialogTyped {};
// The answer had no effect: from now on the dialog is left to the user.
struct DialogLeft {
  std::string reason;  // one line
};
struct DialogClosed {};  // no matter who answered the dialog

// The agent refused to let its model use a tool, and offered no dialog to allow it.
struct Denied {
  DialogRequest request;
};

struct ResetEnded {
  bool cleared = false;  // false: the agent has to be restarted
};

// A user who could answer a dialog has come, or has gone.
struct Attended {
  bool held = false;  // the user is there
};
// A user interrupted the agent by hand.
struct Interrupted {};

using News =
    std::variant<event::StatusChange, event::Tool, event::Usage, Line, Denied, MessageTyped,
                 MessageEntered, MessageAccepted, MessageFailed, Recorded, TurnEnded, DialogOpened,
                 DialogTyped, DialogLeft, DialogClosed, ResetEnded, Attended, Interrupted>;

}  // namespace orch::agent
