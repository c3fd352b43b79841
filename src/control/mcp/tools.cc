#include "mcp/tools.h"

#include <algorithm>
#include <string>

#include "base/json.h"
#include "base/name.h"
#include "base/text.h"

namespace orch::mcp {
namespace {

using base::Json;
using base::Result;
using base::usage_error;
using jsonrpc::Members;

enum class Kind : uint8_t {
  kSession,   // an issue, a session's name or key, or a run's id
  kSessions,  // one or several of them
  kName,      // of an issue, or of an agent
  kAnswer,    // the answer to a dialog
  kText,      // goes to the command's standard input
  kSeconds,
  kLines,
  kFlag,
  kChoice,
};
enum class Need : bool { kOptional, kRequired };

struct Argument {
  std::string_view name;
  Kind kind;
  Need need;
  // Stands before the value in the same word; for a flag and for a text it is the whole word.
  std::string_view option;
  std::string_view about;
  std::string_view otherwise = "";  // the default value
  std::vector<std::string_view> choices = {};
};

struct Tool {
  std::string_view name, about;
  Caller least;  // kInRun: the tool is offered to everybody
  std::vector<std::string_view> command;
  std::vector<Argument> arguments;  // in their order on the command line
  enum class Effect : uint8_t { kReads, kChanges, kDestroys } effect = Effect::kReads;
};

constexpr size_t kMaxKey = 128;  // for a run's id, or "orch-<64>@1a2b3c4d"
constexpr size_t kMaxSessions = 64;
constexpr size_t kMaxAnswerBytes = size_t{64} << 10;
constexpr uint64_t kMaxSeconds = 3600, kMaxLines = 1000;

constexpr std::string_view kAnySession =
    "an issue, or a session's name as the tool sessions shows it (\"session\", or \"key\" for one "
    "of "
    "another repository)";

const std::vector<Tool>& tools() {
  using enum Kind;
  using enum Need;
  static const std::vector<Tool> kTools{
      {"whoami",
       "Which run of orch you are an agent of: its session, issue, folder and status; in a crew "
       "your own name, your role and the other agents.",
       Caller::kInRun,
       {"sessions", "--json"},
       {}},
      {"status",
       "How a session stands (starting, idle, working, waiting, error), what its dialog asks and "
       "which answers it takes; or how a run that is over ended.",
       Caller::kInRun,
       {"status", "--json"},
       {{"issue", kSession, kRequired, "", kAnySession}}},
      {"sessions",
       "All sessions that run now, with agent, status and cause, folder and dialog.",
       Caller::kInRun,
       {"sessions", "--json"},
       {}},
      {"logs",
       "What the agent of a session, or of a run that is over, has said: the last lines.",
       Caller::kInRun,
       {"logs"},
       {{"issue", kSession, kRequired, "", kAnySession},
        {"lines", kLines, kOptional, "--lines=", "how many at most", "50"}}},
      {"wait",
       "Waits until sessions are as wanted, and tells how they stand. An error when that takes "
       "longer "
       "than timeout_s: call it again to wait on.",
       Caller::kInRun,
       {"wait", "--no-bell", "--json"},
       {{"issues", kSessions, kRequired, "", "issues or sessions' names"},
        {"until",
         kChoice,
         kOptional,
         "--until=",
         "idle: at the prompt, and no message waits; waiting: at a dialog; exited: the run is "
         "over; "
         "complete: it has ended well",
         "idle",
         {"idle", "working", "waiting", "error", "exited", "complete"}},
        {"any", kFlag, kOptional, "--any", "until one of them is so, not all"},
        {"timeout_s", kSeconds, kOptional, "--timeout=", "how long to wait", "45"}}},
      {"crew_inbox",
       "Your own inbox: what the other agents of your crew and the user wrote to you.",
       Caller::kInRun,
       {"crew", "inbox"},
       {}},
      {"crew_send",
       "Writes to another agent of your crew, under your own name. It is told so when it is idle.",
       Caller::kInRun,
       {"crew", "send"},
       {{"to", kName, kRequired, "--to=", "the agent's name in the crew"},
        {"text", kText, kRequired, "-", "what to say"}},
       Tool::Effect::kChanges},
      {"run",
       "Starts an agent on an issue, in the background and in the folder of this server; tells the "
       "session's name. Follow it with wait, status and logs.",
       Caller::kOutside,
       {"run", "-d", "--json"},
       {{"issue", kName, kRequired, "", "a number or a name: letters, digits, _ and -"},
        {"prompt", kText, kRequired, "--prompt-file=-", "what the agent is to do"},
        {"agent", kName, kOptional, "--agent=", "claude, codex, ...; else the first installed"},
        {"approve",
         kChoice,
         kOptional,
         "--approve=",
         "none: a dialog waits for an answer; all: orch answers, inside of its fence; else as it "
         "is "
         "configured",
         "",
         {"none", "all"}},
        {"worktree", kFlag, kOptional, "--worktree",
         "in a git worktree and on a branch of its own"},
        {"time_limit_s", kSeconds, kOptional, "--timeout=", "end the run after this long"}},
       Tool::Effect::kChanges},
      {"send",
       "Sends a message to the agent of a session, and tells what became of it.",
       Caller::kOutside,
       {"send", "--json"},
       {{"issue", kSession, kRequired, "", kAnySession},
        {"text", kText, kRequired, "-", "the message"},
        {"wait_until",
         kChoice,
         kOptional,
         "--wait=",
         "accepted: the agent has it; idle: its turn is over, too",
         "accepted",
         {"accepted", "idle"}},
        {"as_command", kFlag, kOptional, "--as-command",
         "a first / ! # or @ means the agent's own command, which is refused else"},
        {"timeout_s", kSeconds, kOptional, "--timeout=", "how long the agent may take", "45"}},
       Tool::Effect::kChanges},
      {"answer",
       "Answers the dialog that a session waits at; status shows it. Look at what it asks for "
       "before you allow it.",
       Caller::kOutside,
       {"answer", "--json"},
       {{"issue", kSession, kRequired, "", kAnySession},
        {"answer", kAnswer, kRequired, "",
         "yes (allow this once), no, an option's number, or an option's words"},
        {"dialog", kName, kOptional, "--dialog=",
         "only this one: the id that status shows; else the one that stands there now"}},
       Tool::Effect::kDestroys},
      {"kill",
       "Ends a session: its agent and all that it started.",
       Caller::kOutside,
       {"kill", "--json"},
       {{"issue", kSession, kRequired, "", kAnySession},
        {"now", kFlag, kOptional, "--now", "at once, without asking the agent to leave"}},
       Tool::Effect::kDestroys},
      {"shot",
       "The screen of a session's terminal, or the last one of a run that is over, as text.",
       Caller::kOutside,
       {"shot"},
       {{"issue", kSession, kRequired, "", kAnySession}}},
  };
  return kTools;
}

const Tool* find_tool(std::string_view name) {
  const auto found = std::find_if(tools().begin(), tools().end(),
                                  [name](const Tool& tool) { return tool.name == name; });
  return found == tools().end() ? nullptr : &*found;
}

Json schema_of(const Argument& argument) {
  Json schema;
  switch (argument.kind) {
    case Kind::kSession:
    case Kind::kName:
    case Kind::kAnswer:
    case Kind::kText:
      schema["type"] = "string";
      break;
    case Kind::kSessions:
      schema["type"] = "array";
      schema["items"] = {{"type", "string"}};
      schema["minItems"] = 1;
      schema["maxItems"] = kMaxSessions;
      break;
    case Kind::kSeconds:
    case Kind::kLines:
      schema["type"] = "integer";
      schema["minimum"] = 1;
      schema["maximum"] = argument.kind == Kind::kSeconds ? kMaxSeconds : kMaxLines;
      if (!argument.otherwise.empty())
        schema["default"] = std::stoi(std::string(argument.otherwise));
      break;
    case Kind::kFlag:
      schema["type"] = "boolean";
      schema["default"] = false;
      break;
    case Kind::kChoice:
      schema["type"] = "string";
      schema["enum"] = argument.choices;
      if (!argument.otherwise.empty()) schema["default"] = argument.otherwise;
      break;
  }
  schema["description"] = argument.about;
  return schema;
}

Json entry_of(const Tool& tool) {
  Json properties = Json::object(), required = Json::array();
  for (const Argument& argument : tool.arguments) {
    properties[std::string(argument.name)] = schema_of(argument);
    if (argument.need == Need::kRequired) required.push_back(argument.name);
  }
  Json schema{{"type", "object"}};
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  Json entry{{"name", tool.name}, {"description", tool.about}};
  entry["inputSchema"] = std::move(schema);
  Json hints{{"readOnlyHint", tool.effect == Tool::Effect::kReads}};
  if (tool.effect != Tool::Effect::kReads) {
    hints["destructiveHint"] = tool.effect == Tool::Effect::kDestroys;
  }
  entry["annotations"] = std::move(hints);
  return entry;
}

base::Error wrong(const Argument& argument, std::string_view what) {
  return usage_error(std::string(argument.name) + " " + std::string(what));
}

// Whether this is a session's name or key, "orch-42@1a2b3c4d": a name, and perhaps an @ with
// hexadecimal digits.
bool is_session(std::string_view word) {
  const size_t at = word.find('@');
  if (!base::is_name(word.substr(0, at), kMaxKey)) return false;
  return at == std::string_view::npos || base::is_name(word.substr(at + 1));
}

base::Status add_session(const Argument& argument, const Members& value, Invocation& invocation) {
  if (!value.is_string()) return wrong(argument, "must be a string");
  std::string word = value.get<std::string>();
  if (!is_session(word)) {
    return wrong(argument,
                 "\"" + base::printable(word.substr(0, kMaxKey)) +
                     "\" is not a name: letters, digits, _ and -, a letter or digit first");
  }
  invocation.words.push_back(std::move(word));
  return base::Ok{};
}

base::Status add_sessions(const Argument& argument, const Members& value, Invocation& invocation) {
  if (value.is_string()) return add_session(argument, value, invocation);
  if (!value.is_array() || value.empty() || value.size() > kMaxSessions) {
    return wrong(argument, "must be an array of 1 to " + std::to_string(kMaxSessions) + " strings");
  }
  for (const Members& item : value) {
    if (base::Status s = add_session(argument, item, invocation); !s) return s;
  }
  return base::Ok{};
}

base::Status add_word(const Argument& argument, const Members& value, Invocation& invocation) {
  if (!value.is_string()) return wrong(argument, "must be a string");
  const std::string word = value.get<std::string>();
  if (argument.kind == Kind::kName && !base::is_name(word)) {
    return wrong(argument,
                 "\"" + base::printable(word.substr(0, base::kMaxName)) +
                     "\" is not a name: letters, digits, _ and -, a letter or digit first, "
                     "at most 64");
  }
  if (argument.kind == Kind::kChoice &&
      std::find(argument.choices.begin(), argument.choices.end(), word) == argument.choices.end()) {
    std::string known;
    for (const std::string_view choice : argument.choices) {
      known.append(known.empty() ? "" : ", ").append(choice);
    }
    return wrong(argument, "must be one of " + known);
  }
  if (argument.kind == Kind::kAnswer) {
    if (base::trim(word).empty()) return wrong(argument, "is empty");
    if (word.size() > kMaxAnswerBytes) return wrong(argument, "is too long");
    // The command line would mistake these for options.
    if (word.starts_with('-') || word.starts_with("++"))
      return wrong(argument, "begins like an option");
    if (word.find('\0') != std::string::npos) return wrong(argument, "has a NUL in it");
  }
  invocation.words.push_back(std::string(argument.option) + word);
  return base::Ok{};
}

base::Status add_text(const Argument& argument, const Members& value, Invocation& invocation) {
  if (!value.is_string()) return wrong(argument, "must be a string");
  invocation.input = value.get<std::string>();
  if (base::trim(invocation.input).empty()) return wrong(argument, "is empty");
  invocation.words.emplace_back(argument.option);
  return base::Ok{};
}

base::Status add_number(const Argument& argument, const Members& value, Invocation& invocation) {
  const uint64_t most = argument.kind == Kind::kSeconds ? kMaxSeconds : kMaxLines;
  // A number that was parsed from text and is not negative.
  const bool is_count = value.is_number_unsigned();
  const uint64_t count = is_count ? value.get<uint64_t>() : 0;
  if (count < 1 || count > most) {
    return wrong(argument, "must be a whole number from 1 to " + std::to_string(most));
  }
  invocation.words.push_back(std::string(argument.option) + std::to_string(count) +
                             (argument.kind == Kind::kSeconds ? "s" : ""));
  return base::Ok{};
}

base::Status add_value(const Argument& argument, const Members& value, Invocation& invocation) {
  switch (argument.kind) {
    case Kind::kSession:
      return add_session(argument, value, invocation);
    case Kind::kSessions:
      return add_sessions(argument, value, invocation);
    case Kind::kName:
    case Kind::kAnswer:
    case Kind::kChoice:
      return add_word(argument, value, invocation);
    case Kind::kText:
      return add_text(argument, value, invocation);
    case Kind::kSeconds:
    case Kind::kLines:
      return add_number(argument, value, invocation);
    case Kind::kFlag:
      if (!value.is_boolean()) return wrong(argument, "must be true or false");
      if (value.get<bool>()) invocation.words.emplace_back(argument.option);
      return base::Ok{};
  }
  return base::Ok{};
}

// Adds the default of an argument that a call leaves out; it is an error if the argument is
// required.
base::Status add_otherwise(const Argument& argument, Invocation& invocation) {
  if (argument.need == Need::kRequired) return wrong(argument, "is missing");
  if (argument.otherwise.empty()) return base::Ok{};
  const std::string unit = argument.kind == Kind::kSeconds ? "s" : "";
  invocation.words.push_back(std::string(argument.option) + std::string(argument.otherwise) + unit);
  return base::Ok{};
}

}  // namespace

Json tool_list(Caller caller) {
  Json list = Json::array();
  for (const Tool& tool : tools()) {
    if (refusal(tool.name, caller).empty()) list.push_back(entry_of(tool));
  }
  return list;
}

bool is_tool(std::string_view name) { return find_tool(name) != nullptr; }

std::string refusal(std::string_view name, Caller caller) {
  const Tool* tool = find_tool(name);
  if (tool == nullptr || tool->least == Caller::kInRun || caller == Caller::kOutside) return "";
  return "refused: " + std::string(name) +
         " is not for agents of a run; ask the user, or write to an agent of your crew (crew_send)";
}

Result<Invocation> invocation_of(std::string_view name, const Members& arguments) {
  const Tool* tool = find_tool(name);
  if (tool == nullptr) return usage_error("there is no such tool");
  for (const auto& [key, value] : arguments.items()) {
    const bool known =
        std::any_of(tool->arguments.begin(), tool->arguments.end(),
                    [&key = key](const Argument& argument) { return argument.name == key; });
    if (!known) {
      constexpr size_t kShown = 40;
      return usage_error("unknown argument \"" + base::printable(key.substr(0, kShown)) + "\"");
    }
  }
  Invocation invocation;
  for (const std::string_view word : tool->command) invocation.words.emplace_back(word);
  for (const Argument& argument : tool->arguments) {
    const auto given = arguments.find(argument.name);
    const bool is_given = given != arguments.end() && !given->is_null();
    const base::Status added =
        is_given ? add_value(argument, *given, invocation) : add_otherwise(argument, invocation);
    if (!added) return added.error();
  }
  return invocation;
}

}  // namespace orch::mcp
