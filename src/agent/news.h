#pragma once

#include <string>
#include <variant>

#include "agent/delivery_result.h"
#include "agent/dialog_request.h"
#include "agent/line.h"
#include "event/event.h"

namespace orch::agent {

// What a driver tells of its agent, in the order in which it happened. The confirmed status is told
// as event::StatusChange, a settled line of the transcript as Line; lines that settled before a
// status changed come before it.

// Something of the message was typed: from here on it cannot be taken back.
struct MessageTyped {
  std::string id;
};
// The message was sent off for the first time: what the agent says from here on answers it.
struct MessageEntered {
  std::string id;
};
struct MessageAccepted {
  std::string id;
  int enters = 0;  // how often it had to be sent off
};
struct MessageFailed {
  std::string id;
  DeliveryResult result = DeliveryResult::kUnconfirmed;
  std::string reason;  // one line
  int enters = 0;
};

// What the agent itself wrote down of the turn that ends next, where it keeps a session file.
struct Recorded {
  std::string last_words;   // in markdown, as the model wrote them; "" when it said nothing
  bool tool_after = false;  // a tool was used after them
};

// The turn that an accepted message began is over: the agent rests. A message that a person typed
// by hand begins a turn, too.
struct TurnEnded {};

// The agent asks before it goes on; Answer decides. A request that cannot be decided (`trouble` is
// one line that says why) is told all the same: it is a person's.
struct DialogOpened {
  DialogRequest request;
  std::string trouble = {};
};
// The first key of an answer was typed.
struct DialogTyped {};
// The answer did not take: the dialog is a person's now.
struct DialogLeft {
  std::string reason;  // one line
};
struct DialogClosed {};  // whoever answered it

// The agent did not let its model use a tool, and cannot be asked to.
struct Denied {
  DialogRequest request;
};

struct ResetEnded {
  bool cleared = false;  // false: the agent has to be restarted
};

// A person is there who could answer a dialog, or is no longer.
struct Attended {
  bool held = false;
};
// A person interrupted the agent by hand.
struct Interrupted {};

using News =
    std::variant<event::StatusChange, event::Tool, event::Usage, Line, Denied, MessageTyped,
                 MessageEntered, MessageAccepted, MessageFailed, Recorded, TurnEnded, DialogOpened,
                 DialogTyped, DialogLeft, DialogClosed, ResetEnded, Attended, Interrupted>;

}  // namespace orch::agent
