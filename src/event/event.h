#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "event/exit_reason.h"
#include "event/status.h"

namespace orch::event {

// What is told to stdout (--output json), events.jsonl and every subscriber: one record a line,
// schema docs/events.schema.json.

struct StatusChange {
  AgentStatus status = AgentStatus::kStarting;
  Cause cause = Cause::kNone;
  std::optional<AgentStatus> from;  // absent in the first record
  std::string rule;                 // "claude/permission"; "" when no rule decided
  int row = -1;                     // the screen row it matched, from 0; -1 when none
  int samples = 0;                  // how many samples confirmed it
  int64_t lag_ms = 0;               // from the first such sample to this record
  bool operator==(const StatusChange&) const = default;
};

struct Output {
  std::string text;  // one settled line of the agent's transcript, without its line feed
  bool operator==(const Output&) const = default;
};

enum class MessagePhase : uint8_t { kQueued, kSent, kAccepted, kFailed };
struct Message {
  std::string id;
  MessagePhase phase = MessagePhase::kQueued;
  std::string reason;  // "" when there is none
  int enters = 0;      // accepted: how often Enter was typed
  bool operator==(const Message&) const = default;
};

struct Dialog {
  Cause cause = Cause::kNone;
  std::string title, body;
  std::vector<std::string> options;
  std::string answer;  // "" when nobody answered
  std::string by;      // "policy:deny", "user", ""
  bool operator==(const Dialog&) const = default;
};

struct Turn {
  int n = 0;           // from 1
  bool ended = false;  // the agent is at rest again
  bool operator==(const Turn&) const = default;
};

struct Exit {
  int code = 0;
  ExitReason reason = ExitReason::kComplete;
  bool operator==(const Exit&) const = default;
};

using Event = std::variant<StatusChange, Output, Message, Dialog, Turn, Exit>;

std::string_view name(MessagePhase phase);

// Where and when an event happened. ms counts from the run's start, in a replay from the
// recording's start; the other fields are left out of the record when empty.
struct Stamp {
  int64_t ms = 0;
  std::string time;  // RFC 3339, UTC
  std::string session;
  std::string run;
};

// One JSON record without its line feed. Text that is not UTF-8 becomes U+FFFD.
std::string to_json(const Stamp& stamp, const Event& event);

}  // namespace orch::event
