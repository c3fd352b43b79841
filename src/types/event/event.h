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

// The events of a run. They are written to stdout (--output json), to events.jsonl and to every
// subscriber, one JSON record in each line. docs/events.schema.json is their schema.

inline constexpr int kRecordVersion = 2;  // "v" of the session record

// The first record of every stream. Its fields hold for all records that follow, so they do not
// repeat them. Empty fields are left out of the record; a replay knows only the agent.
struct SessionStart {
  std::string session;  // "orch-42"
  std::string run;      // the id of the run
  std::string issue;
  std::string agent;
  std::string started;  // RFC 3339, UTC: `ms` of all records counts from this moment
  bool operator==(const SessionStart&) const = default;
};

struct StatusChange {
  AgentStatus status = AgentStatus::kStarting;
  Cause cause = Cause::kNone;
  std::optional<AgentStatus> from;  // absent in the first record
  std::string rule;                 // "claude/permission"; "" when no rule decided
  int row = -1;                     // the screen row that the rule matched, from 0; -1 if none
  int samples = 0;                  // consecutive looks at the screen that found this status
  int64_t lag_ms = 0;               // from the first look at the change to this record
  bool guessed = false;             // by rules that fit any agent, not by this agent's own
  bool operator==(const StatusChange&) const = default;
};

struct Output {
  std::string text;  // one settled line of the agent's transcript, without its line feed
  Speaker speaker = Speaker::kAgent;
  // The line may continue the previous one, which had no room for the first word of this one.
  bool continues = false;
  bool gap = false;  // not a line: lines that stood here scrolled away before they could be seen
  bool operator==(const Output&) const = default;
};

enum class MessagePhase : uint8_t { kQueued, kSent, kAccepted, kFailed };
// Senders of messages other than agents; no agent may have one of these names.
inline constexpr std::string_view kFromRun = "run", kFromUser = "user";
struct Message {
  std::string id;
  MessagePhase phase = MessagePhase::kQueued;
  std::string reason;  // "" when there is none
  int enters = 0;      // for kAccepted: how often Enter was typed
  // For kQueued: the sender, which is kFromRun, kFromUser or an agent of the same crew by its name.
  std::string from = {};
  bool operator==(const Message&) const = default;
};

struct Dialog {
  Cause cause = Cause::kNone;
  std::string title, body;
  std::vector<std::string> options;
  std::string answer;  // "" when nobody answered
  std::string by;      // the source of the answer: "policy:deny", "user" or ""
  // The agent's request, as far as its dialog shows it.
  std::string tool = {};                // "" if the agent names no tool
  std::string command = {};             // the likeliest reading of a shell command; "" without one
  std::vector<std::string> paths = {};  // the files that the agent wants to write
  bool complete = false;                // all of the dialog was seen
  bool operator==(const Dialog&) const = default;
};

// A use of a tool, reported by agents that have their tools as data. There is one record when the
// use begins and one when it ends; where the call is checked, also one with the decision, before it
// begins, and another one if the user was asked.
enum class ToolPhase : uint8_t { kDecided, kBegan, kEnded };
struct Tool {
  std::string id;
  std::string name;
  // For the beginning: the input as JSON, cut if it is long; for the decision: the call that is
  // decided.
  std::string input;
  std::string text;  // for the end: the result, cut if it is long
  ToolPhase phase = ToolPhase::kBegan;
  bool failed = false;
  std::string decided = {};  // for the decision: "allow", "deny" or "asked"
  std::string by = {};       // who decided, as in Dialog
  int64_t decided_ms = 0;    // how long the agent has waited for the decision
  bool operator==(const Tool&) const = default;
};

struct Turn {
  int n = 0;           // from 1
  bool ended = false;  // the agent is at rest again
  bool operator==(const Turn&) const = default;
};

// A gate, which is a command of --verify. There is one record when it begins and one when it ends.
struct Gate {
  int n = 0;  // the gates of a run are numbered from 1; the output of this one is gates/<n>.log
  std::string command;
  bool ended = false;
  // The fields below are set when the command has ended.
  int code = 0;             // the exit code as a shell has it: 128 + n for signal n
  int64_t ms = 0;           // how long the command took
  bool timed_out = false;   // the command was killed at its time limit
  std::string output = {};  // the end of the command's output, without control characters
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
std::string_view name(ToolPhase phase);

// One JSON record without its line feed. `ms` counts from the start of the run, or of the recording
// in a replay. Bytes that are not UTF-8 become U+FFFD.
std::string to_json(int64_t ms, const Event& event);

// The line as plain text, for transcript.txt and logs: the echo of a message begins with "❯ ", a
// gap becomes a line that says so, and control characters are replaced. Notices and chrome have no
// text.
std::optional<std::string> to_text(const Output& line);

struct Record {
  int64_t ms = 0;
  Event event;
};
// Reads a record that to_json() of this version or an older one wrote. nullopt if the line is not a
// whole record or is of a kind that only a newer orch knows.
std::optional<Record> parse_record(std::string_view line);

// The record (JSON) with the name of its session added, for places where records of several
// sessions are mixed or where a record stands alone.
std::string with_session(std::string_view record, std::string_view session);

}  // namespace orch::event
