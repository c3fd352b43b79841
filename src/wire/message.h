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

// The payloads of the session socket as values. Unknown members are ignored, so that either end may
// be the newer one; a known member of the wrong type is an error.
namespace orch::wire {

inline constexpr int kProtocolVersion = 1;  // "v" of a request

// What is asked of a session.
struct AskStatus {
  bool operator==(const AskStatus&) const = default;
};
struct Subscribe {  // a follower that wants neither is told the end alone
  bool events = false;
  bool raw = false;
  bool operator==(const Subscribe&) const = default;
};
struct Kill {
  bool now = false;  // SIGKILL at once instead of the ladder
  bool operator==(const Kill&) const = default;
};

struct Keys {                      // typed in this order, each as a write of its own
  std::vector<std::string> names;  // as term::key_bytes() knows them
  bool operator==(const Keys&) const = default;
};

// A message to the agent. The answer comes when it is decided what became of it, however long that
// takes. When the peer goes away before, a message that was not typed yet is taken back.
struct Send {
  std::string text;
  bool as_command = false;
  bool until_idle = false;  // decided when its turn is over, else when the agent has it
  int64_t timeout_ms = 0;   // 0: none
  bool operator==(const Send&) const = default;
};

// To an agent of a crew, from whoever the peer is found to be: a person, or another agent of the
// crew. It is queued when the agent is active, or refused.
struct Nudge {
  std::string text;
  std::string from = {};  // whom the peer says it is, which it must be then; "": nothing
  bool mail =
      false;         // the text goes to the agent's inbox, and the agent is told that there is mail
  bool wait = true;  // answered like a Send; else when it is queued, and then it stays
  int64_t timeout_ms = 0;  // 0: none
  bool operator==(const Nudge&) const = default;
};
// Has the crew's host start one of its agents, as the crew's files tell, unless it runs.
struct Spawn {
  std::string agent;
  bool operator==(const Spawn&) const = default;
};

// Back to an empty conversation; answered when that is done.
struct Reset {
  bool operator==(const Reset&) const = default;
};

// Shows the agent's screen to a person: answered by Attached, then a snapshot and raw frames. One
// that is interactive may type (input frames) and has a say in the screen's size.
struct Attach {
  bool interactive = false;
  int cols = 0, rows = 0;  // of its window; of one that only looks they mean nothing
  bool operator==(const Attach&) const = default;
};
struct Window {  // the viewer's has another size
  uint32_t viewer = 0;
  int cols = 0, rows = 0;
  bool operator==(const Window&) const = default;
};
struct Detach {  // nothing more is sent to the viewer; to close the connection does as much
  uint32_t viewer = 0;
  bool operator==(const Detach&) const = default;
};

// Answers the dialog that stands. Done says that it was seen to go; a Refusal, that nothing was
// typed, or that the dialog still stands afterwards. The answer comes when that is known.
struct AnswerDialog {
  std::string dialog;  // the id of the one that is meant (DialogReport); "": whichever stands
  agent::DialogChoice choice;
  bool operator==(const AnswerDialog&) const = default;
};

using Verb = std::variant<AskStatus, Subscribe, Kill, Keys, Send, Nudge, Spawn, Reset, AnswerDialog,
                          Attach, Window, Detach>;
struct Request {
  int64_t id = 0;  // chosen by the client, from 1
  Verb verb;
  // The run that is meant: a host that serves another one refuses, so that nothing reaches a
  // session that began after the client looked. "": whichever it is.
  std::string run = {};
  bool operator==(const Request&) const = default;
};

enum class RefusalCode : uint8_t {
  kUsage,        // a member is missing or wrong, or this makes no sense now
  kUnknownVerb,  // the host is older than who asks
  kVersion,      // another kProtocolVersion
  kBusy,         // too many connections, followers, or messages that wait
  kOtherRun,     // the run that was meant is not the one that is served
  kNoDialog,     // there is nothing to answer
  kStillStands,  // the answer was typed, but the dialog was not seen to go
  kEnded,        // the session's agent is gone
  kOther,        // read only: a code that this build does not know
};
struct Refusal {
  RefusalCode code = RefusalCode::kUsage;
  std::string error;  // one line
  bool operator==(const Refusal&) const = default;
};

// Answers. The first event that follows Subscribed is the session record, so that who follows knows
// whom and since when without reading the file. Every other one lies in events.jsonl at or after
// this offset, in order and without a gap.
struct Subscribed {
  uint64_t events_offset = 0;
  bool operator==(const Subscribed&) const = default;
};
struct Sent {
  std::string message;  // its id in the run's events
  std::string result;   // the word of an agent::DeliveryResult: "accepted", "blocked", ...
  std::string reason;   // one line; "" when it was accepted
  int enters = 0;       // how often Enter was typed
  event::AgentStatus status = event::AgentStatus::kStarting;  // of the agent, now
  event::Cause cause = event::Cause::kNone;
  std::string screen;  // what the terminal shows; "" when it was accepted
  bool operator==(const Sent&) const = default;
};
struct WasReset {
  std::string how;  // "cleared", "restarted"
  bool operator==(const WasReset&) const = default;
};
struct Attached {
  uint32_t viewer = 0;  // its name in what it sends
  bool operator==(const Attached&) const = default;
};
struct Done {
  bool operator==(const Done&) const = default;
};
struct Answer {
  int64_t id = 0;  // that of the request; 0 refuses the connection as a whole
  std::variant<Refusal, StatusReport, Subscribed, Sent, WasReset, Attached, Done> result;
  bool operator==(const Answer&) const = default;
};

// A follower that did not keep up was not sent what happened meanwhile. It reads that from this
// part of events.jsonl; the events that it is sent next continue where the part ends.
struct Lagged {
  uint64_t events_from = 0;
  uint64_t events_offset = 0;  // its end
  uint64_t dropped_bytes = 0;  // raw output that it missed since the last time
  bool operator==(const Lagged&) const = default;
};

std::string to_json(const Request& request);
std::string to_json(const Answer& answer);
std::string to_json(const Lagged& lagged);

// Reads a request. Where only its id can be understood this is the refusal to answer with; where
// not even that can be, it is an error, and the sender is to be disconnected.
base::Result<std::variant<Request, Answer>> read_request(std::string_view json);
base::Result<Answer> read_answer(std::string_view json);
base::Result<Lagged> read_lagged(std::string_view json);

}  // namespace orch::wire
