#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/dialog_choice.h"
#include "base/result.h"
#include "event/status.h"
#include "wire/status_report.h"

// The payloads of the session socket as values. Unknown members are ignored, so either end may be
// newer; a known member of the wrong type is an error.
namespace orch::wire {

inline constexpr int kProtocolVersion = 1;  // "v" of a request

// The verbs: a client's requests to a session.
struct AskStatus {
  bool operator==(const AskStatus&) const = default;
};
struct Subscribe {  // with neither, only the end of the session is reported
  bool events = false;
  bool raw = false;
  bool operator==(const Subscribe&) const = default;
};
struct Kill {
  bool now = false;  // SIGKILL at once, instead of the stop ladder
  bool operator==(const Kill&) const = default;
};

struct Keys {                      // typed in this order, each with a write of its own
  std::vector<std::string> names;  // the names of term::key_bytes()
  bool operator==(const Keys&) const = default;
};

// A message to the agent. The answer comes when the fate of the message is known, however long that
// takes. If the client disconnects before, a message that was not typed yet is withdrawn.
struct Send {
  std::string text;
  bool as_command = false;
  bool until_idle = false;  // answer when its turn is over, not when the agent has accepted it
  int64_t timeout_ms = 0;   // 0: no limit
  bool operator==(const Send&) const = default;
};

// A message to an agent of a crew, from the peer: the user, or another agent of the crew. If the
// agent is active the message is queued, or refused.
struct Nudge {
  std::string text;
  std::string from = {};  // the peer's claim about itself, which must be true; "": none
  // Put the text into the agent's inbox, and notify the agent of new mail
  bool mail = false;
  bool wait = true;  // answer as for a Send; otherwise once it is queued, and it then stays queued
  int64_t timeout_ms = 0;  // 0: no limit
  bool operator==(const Nudge&) const = default;
};
// Has the crew's host start one of its agents, as described in the crew's files, unless it is
// running.
struct Spawn {
  std::string agent;
  bool operator==(const Spawn&) const = default;
};

// Brings the agent back to an empty conversation; answered when that is done.
struct Reset {
  bool operator==(const Reset&) const = default;
};

// Shows the agent's screen to the user: the answer is Attached, then come a snapshot and raw
// frames. An interactive viewer may type (input frames) and takes part in deciding the screen's
// size.
struct Attach {
  bool interactive = false;
  int cols = 0, rows = 0;  // of the viewer's window; ignored unless it is interactive
  bool operator==(const Attach&) const = default;
};
struct Window {  // the viewer's window has changed its size
  uint32_t viewer = 0;
  int cols = 0, rows = 0;
  bool operator==(const Window&) const = default;
};
struct Detach {  // nothing more is sent to the viewer; closing the connection does the same
  uint32_t viewer = 0;
  bool operator==(const Detach&) const = default;
};

// Answers the dialog that stands. The answer comes when the outcome is known: Done if the dialog
// was seen to go away; a Refusal if nothing was typed, or if the dialog still stands afterwards.
struct AnswerDialog {
  std::string dialog;  // the id of the intended dialog (DialogReport); "": whichever stands
  agent::DialogChoice choice;
  std::vector<agent::DialogChoice> also = {};  // more of them, where options have tick boxes
  bool operator==(const AnswerDialog&) const = default;
};

// The report of an agent's hook before a tool is used (the call check). Answered by CallAnswer when
// it is decided, however long that takes. If the hook disconnects before, the call counts as
// unread.
struct CheckCall {
  std::string event;  // JSON, as the agent gives it to its hooks
  bool operator==(const CheckCall&) const = default;
};

using Verb = std::variant<AskStatus, Subscribe, Kill, Keys, Send, Nudge, Spawn, Reset, AnswerDialog,
                          Attach, Window, Detach, CheckCall>;
struct Request {
  int64_t id = 0;  // chosen by the client, from 1
  Verb verb;
  // The intended run. A host that serves another run refuses, so that no request reaches a session
  // that has begun since the client looked. "": any run.
  std::string run = {};
  bool operator==(const Request&) const = default;
};

enum class RefusalCode : uint8_t {
  kUsage,        // a member is missing or wrong, or this makes no sense now
  kUnknownVerb,  // the host is older than the client
  kVersion,      // the client speaks another kProtocolVersion
  kBusy,         // there are too many connections, followers, or messages that wait
  kOtherRun,     // the host serves another run than the intended one
  kNoDialog,     // no dialog to answer
  kStillStands,  // the answer was typed, but the dialog was not seen to go
  kEnded,        // the session's agent has exited
  kOther,        // only when reading: a code that this build does not know
};
struct Refusal {
  RefusalCode code = RefusalCode::kUsage;
  std::string error;  // one line
  bool operator==(const Refusal&) const = default;
};

// Answers. The first event after Subscribed is the session record, so a follower need not read the
// file to identify the session. Every other event is in events.jsonl at this offset or later; they
// come in order and without a gap.
struct Subscribed {
  uint64_t events_offset = 0;
  bool operator==(const Subscribed&) const = default;
};
struct Sent {
  std::string message;  // its id in the run's events
  std::string result;   // name of an agent::DeliveryResult: "accepted", "blocked", ...
  std::string reason;   // one line; "" if it was accepted
  int enters = 0;       // how often Enter was typed
  event::AgentStatus status = event::AgentStatus::kStarting;  // the agent's status now
  event::Cause cause = event::Cause::kNone;
  std::string screen;  // the terminal's contents; "" if it was accepted
  bool operator==(const Sent&) const = default;
};
struct WasReset {
  std::string how;  // "cleared", "restarted"
  bool operator==(const WasReset&) const = default;
};
struct Attached {
  uint32_t viewer = 0;  // names the viewer in the frames that it sends
  bool operator==(const Attached&) const = default;
};
struct CallAnswer {
  std::string print;  // the hook's output; "" leaves the decision to the agent
  bool operator==(const CallAnswer&) const = default;
};
struct Done {
  bool operator==(const Done&) const = default;
};
struct Answer {
  int64_t id = 0;  // of the request; 0: the connection as a whole is refused
  std::variant<Refusal, StatusReport, Subscribed, Sent, WasReset, Attached, CallAnswer, Done>
      result;
  bool operator==(const Answer&) const = default;
};

// Reports to a slow follower the part of events.jsonl that was not sent: it has to read that part
// itself. The next events continue at the part's end.
struct Lagged {
  uint64_t events_from = 0;
  uint64_t events_offset = 0;  // the end of the part
  uint64_t dropped_bytes = 0;  // bytes of raw output dropped since the last Lagged frame
  bool operator==(const Lagged&) const = default;
};

std::string to_json(const Request& request);
std::string to_json(const Answer& answer);
std::string to_json(const Lagged& lagged);

// Reads a request. If only its id can be understood, this returns the refusal to answer with; if
// not even that, it is an error, and the sender should be disconnected.
base::Result<std::variant<Request, Answer>> read_request(std::string_view json);
base::Result<Answer> read_answer(std::string_view json);
base::Result<Lagged> read_lagged(std::string_view json);

}  // namespace orch::wire
