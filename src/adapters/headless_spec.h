#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/line_spec.h"
#include "base/json_fwd.h"
#include "event/status.h"

namespace orch::adapters {

// How an agent is run without a terminal: it takes its message on standard input and tells what it
// does as JSON lines on standard output. Members of a line are named by the way to them from the
// outermost object: "/message/content".
struct HeadlessSpec {
  static constexpr std::string_view kAny = "*";  // the value of a member that is there at all

  // What a line says, or each part of a list in it.
  struct Rule {
    enum class Kind : uint8_t {
      kNothing,
      kSession,      // `id`: the agent's name for the conversation
      kTaken,        // the agent takes up our message; what it says before is of a turn of its own
      kWords,        // `text`, as the model wrote it; `delta`: it goes on from the words before
      kTool,         // a tool is used: `id`, `name`, `input`
      kToolEnd,      // ... and is done: `id`, `text`; its `name` where no kTool came before
      kToolFailed,   // the same, and it failed
      kRetry,        // the model is asked again: `text`, `code` of HTTP
      kRequest,      // may a tool be used? `id`, `name`, `input`; the answer is an input of its own
      kRequestGone,  // that of that `id` needs no answer any more
      kNotice,       // `text`
      kFailure,      // the turn has failed: `text`, `code` of HTTP
      kEnd,          // the turn is over
    };
    Kind kind = Kind::kNothing;
    LineConditions when;  // of the line
    std::string each;     // the list; "": the line itself is meant
    LineConditions part;  // of a part of the list
    // Ways from the part, or from the line.
    std::string id, name, text, input, code;
    bool delta = false;
    // Of an agent that takes several messages the cost is that of its process so far.
    UsageSpec usage;
  };

  // What a tool does, for a policy. The first whose pattern fits its name; else it is anything.
  struct Tool {
    enum class Kind : uint8_t { kCommand, kWrite, kRead, kQuestion, kPlan };
    std::string name;  // RE2
    Kind kind = Kind::kCommand;
    std::vector<std::string> ways;  // in its input: the command, the paths
  };

  // A row of standard error that says what no JSON line does.
  struct ErrorRow {
    enum class Kind : uint8_t { kRetry, kDenied, kFailure };
    std::string match;  // RE2
    Kind kind = Kind::kFailure;
    event::Cause cause = event::Cause::kNone;
  };

  // After the program's name, without its arguments on a terminal. {resume} and {options} stand for
  // what follows.
  std::vector<std::string> arguments;
  std::vector<std::string> resume;  // {} stands for the conversation's id
  std::vector<std::string> asks;    // added unless everything is allowed
  std::vector<std::string> bypass;  // ... where it is: the agent asks for nothing
  std::string message;              // a line of input, JSON, with "{}" for the text; "": as text
  std::string allow, deny;          // answers to a request: "{id}", "{input}", "{text}"
  std::string command_start;        // first characters that the agent takes for a command
  int64_t silence_ms = 600'000;     // the longest silence of a model that is asked
  int64_t retry_ms = 120'000;       // the longest time of nothing but retries
  std::vector<Rule> rules;          // the first that fits a line or a part says what it is
  std::vector<Tool> tools;
  std::vector<ErrorRow> error_rows;
  std::vector<std::pair<std::string, event::Cause>> causes;  // RE2 over a failure's text
  std::string denied;                                        // RE2 over a failed tool's text

  bool any() const { return !arguments.empty(); }
  bool asks_us() const { return !allow.empty(); }  // who may use a tool is asked on the input
};

void read_headless(base::JsonMembers& parent, HeadlessSpec& spec);

}  // namespace orch::adapters
