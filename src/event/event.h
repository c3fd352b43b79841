#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "event/exit_reason.h"
#include "event/speaker.h"
#include "event/status.h"
#include "event/usage.h"

namespace orch::event {

// What is told to stdout (--output json), events.jsonl and every subscriber: one record a line,
// schema docs/events.schema.json.

inline constexpr int kRecordVersion = 2;  // "v" of the session record

// The first record of every stream says what holds for all that follow, which do not repeat it. A
// replay knows the agent alone; fields that are empty are left out of the record.
struct SessionStart {
  std::string session;  // "orch-42"
  std::string run;      // its id
  std::string issue;
  std::string agent;
  std::string started;  // RFC 3339, UTC: the moment from which `ms` counts
  bool operator==(const SessionStart&) const = default;
};

struct StatusChange {
  AgentStatus status = AgentStatus::kStarting;
  Cause cause = Cause::kNone;
  std::optional<AgentStatus> from;  // absent in the first record
  std::string rule;                 // "claude/permission"; "" when no rule decided
  int row = -1;                     // the screen row it matched, from 0; -1 when none
  int samples = 0;                  // looks at the screen that confirmed it, one after the other
  int64_t lag_ms = 0;               // from the first such sample to this record
  bool operator==(const StatusChange&) const = default;
};

struct Output {
  std::string text;  // one settled line of the agent's transcript, without its line feed
  Speaker speaker = Speaker::kAgent;
  // It may go on from the line before: its first word had no room there.
  bool continues = false;
  bool gap = false;  // no line: what stood here scrolled away before it could be seen
  bool operator==(const Output&) const = default;
};

enum class MessagePhase : uint8_t { kQueued, kSent, kAccepted, kFailed };
inline constexpr std::string_view kFromRun = "run", kFromUser = "user";  // no agent has this name
struct Message {
  std::string id;
  MessagePhase phase = MessagePhase::kQueued;
  std::string reason;  // "" when there is none
  int enters = 0;      // accepted: how often Enter was typed
  // queued: who sends it: kFromRun, kFromUser, or the name of an agent of the same crew.
  std::string from = {};
  bool operator==(const Message&) const = default;
};

struct Dialog {
  Cause cause = Cause::kNone;
  std::string title, body;
  std::vector<std::string> options;
  std::string answer;  // "" when nobody answered
  std::string by;      // "policy:deny", "user", ""
  // What was asked for, as far as it can be told.
  std::string tool = {};     // "" where the agent names none
  std::string command = {};  // the likeliest reading of a shell command; "" when it is none
  std::vector<std::string> paths = {};  // files that are to be written
  bool complete = false;                // all of the dialog was seen
  bool operator==(const Dialog&) const = default;
};

// A tool of an agent that tells of its tools in so many words: one record when it is used, one when
// it is done.
struct Tool {
  std::string id;
  std::string name;
  std::string input;  // as JSON; of its beginning. Longer ones are cut
  std::string text;   // its result, of its end; longer ones are cut
  bool ended = false, failed = false;
  bool operator==(const Tool&) const = default;
};

struct Turn {
  int n = 0;           // from 1
  bool ended = false;  // the agent is at rest again
  bool operator==(const Turn&) const = default;
};

// A command of --verify: one record when it begins, one when it has ended.
struct Gate {
  int n = 0;  // of the run's, from 1: its output is gates/<n>.log
  std::string command;
  bool ended = false;
  int code = 0;             // ended: as a shell tells it, 128 + n for a signal
  int64_t ms = 0;           // ended: how long it took
  bool timed_out = false;   // ended: it was killed at its time limit
  std::string output = {};  // ended: the end of what it wrote, without control characters
  bool operator==(const Gate&) const = default;
};

struct Exit {
  int code = 0;
  ExitReason reason = ExitReason::kComplete;
  bool operator==(const Exit&) const = default;
};

using Event = std::variant<SessionStart, StatusChange, Output, Message, Dialog, Tool, Usage, Turn,
                           Gate, Exit>;

std::string_view name(MessagePhase phase);

// One JSON record without its line feed. `ms` counts from the run's start, in a replay from the
// recording's start. Text that is not UTF-8 becomes U+FFFD.
std::string to_json(int64_t ms, const Event& event);

// How a line reads where there is only text: transcript.txt, logs. A message's echo begins with
// "❯ ", a gap is a line that says so; nothing for notices. Controls are replaced.
std::optional<std::string> to_text(const Output& line);

struct Record {
  int64_t ms = 0;
  Event event;
};
// What to_json() wrote, also before version 2. Nothing where the line is no whole record, or one of
// a kind that only a newer orch knows.
std::optional<Record> parse_record(std::string_view line);

// The record of a session, of which the name is `session`, for a place where records of several
// sessions meet or where a record stands alone: it says itself whose it is.
std::string with_session(std::string_view record, std::string_view session);

}  // namespace orch::event
