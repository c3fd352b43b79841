#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/line_spec.h"
#include "event/status.h"

namespace orch::adapters {

// How an agent runs without a terminal: it takes messages on standard input and reports its work as
// JSON lines on standard output. A member of a line is named by the way to it, the names from the
// outermost object on: "/message/content".
struct HeadlessSpec {
  static constexpr std::string_view kAny = "*";  // the value of a condition: the member is not null

  // The meaning of a line, or of each part of a list in a line.
  struct Rule {
    enum class Kind : uint8_t {
      kNothing,
      kSession,      // `id` is the agent's id for the conversation
      kTaken,        // the agent takes up our message; earlier lines belong to a turn of its own
      kWords,        // `text` is the model's text; `delta`: it continues the words before
      kTool,         // the use of a tool begins: `id`, `name`, `input`
      kToolEnd,      // the use of a tool ends: `id`, `text`; `name` if there was no kTool before
      kToolFailed,   // the same, and the tool failed
      kRetry,        // the agent asks the model again: `text`, HTTP status `code`
      kRequest,      // asks whether a tool may be used: `id`, `name`, `input`; answered on stdin
      kRequestGone,  // the request with this `id` needs no answer any more
      kNotice,       // `text`
      kFailure,      // the turn has failed: `text`, HTTP status `code`
      kEnd,          // the turn is over; `id`: as of kSession
    };
    Kind kind = Kind::kNothing;
    LineConditions when;  // conditions for the line
    std::string each;     // the way to the list; "": the rule is about the line itself
    LineConditions part;  // conditions for a part of the list
    // Ways to these members, from the part or from the line.
    std::string id, name, text, input, code;
    bool delta = false;
    // If the agent takes several messages, the cost counts from the beginning of the process.
    UsageSpec usage;
  };

  // The effect of a tool, for the policy. The first entry whose pattern matches the tool's name
  // counts; a tool without an entry may do anything.
  struct Tool {
    enum class Kind : uint8_t {
      kCommand,
      kWrite,
      kPatch,  // the same; the paths stand in the patch itself, as apply_patch of codex has them
      kRead,   // reads, searches or lists; without ways, nothing outside of the conversation
      kQuestion,
      kPlan,
    };
    std::string name;  // RE2
    Kind kind = Kind::kCommand;
    // Ways in the tool's input to the command, the paths or the patch.
    std::vector<std::string> ways;
  };

  // A row of standard error with a fact that no JSON line has.
  struct ErrorRow {
    enum class Kind : uint8_t { kRetry, kDenied, kFailure };
    std::string match;  // RE2
    Kind kind = Kind::kFailure;
    event::Cause cause = event::Cause::kNone;
  };

  // The arguments after the program's name; those for a terminal are left out. {resume} and
  // {options} stand for the words of the members below.
  std::vector<std::string> arguments;
  std::vector<std::string> resume;  // continue a conversation; {} stands for its id
  std::vector<std::string> asks;    // added unless everything is allowed
  std::vector<std::string> bypass;  // added if everything is allowed: the agent asks for nothing
  std::string message;           // a JSON line of input with {text} for the message; "": plain text
  std::string allow, deny;       // JSON lines that answer a request, with {id}, {input}, {text}
  std::string command_start;     // first characters that mark a command for the agent
  int64_t silence_ms = 600'000;  // the longest silence while the model is asked
  int64_t retry_ms = 120'000;    // the longest time with nothing but retries
  std::vector<Rule> rules;       // the first rule that fits a line or a part counts
  std::vector<Tool> tools;
  std::vector<ErrorRow> error_rows;
  std::vector<std::pair<std::string, event::Cause>> causes;  // RE2 over the text of a failure
  std::string denied;  // RE2 over the text of a failed tool: the agent denied it

  bool any() const { return !arguments.empty(); }
  bool asks_us() const { return !allow.empty(); }  // the agent sends requests that orch answers
};

class Members;
void headless_members(Members& in, HeadlessSpec& spec);
void tool_members(Members& in, HeadlessSpec::Tool& tool);

}  // namespace orch::adapters
