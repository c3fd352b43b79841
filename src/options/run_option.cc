#include "options/run_option.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <type_traits>

#include "base/duration.h"
#include "base/text.h"
#include "options/terminal_size.h"

namespace orch::options {
namespace {

using base::Status;
using base::usage_error;

// To add an option: a member of RunRequest, an entry here, and the code that obeys the member.
constexpr std::array kRunOptions{
    RunOption{.name = "-p,--prompt",
              .group = Group::kTask,
              .member = &RunRequest::prompt,
              .help = "what the agent is to do; - reads it from standard input",
              .value = "PROMPT",
              .common = true},
    RunOption{.name = "--prompt-file",
              .group = Group::kTask,
              .member = &RunRequest::prompt_file,
              .help = "read the prompt from this file",
              .value = "FILE",
              .words = "{files}"},
    RunOption{.name = "--system-prompt",
              .group = Group::kTask,
              .member = &RunRequest::system_prompt_file,
              .help = "add the text of this file to the agent's system prompt",
              .value = "FILE",
              .words = "{files}",
              .record = "system_prompt"},

    RunOption{.name = "--agent",
              .group = Group::kAgent,
              .member = &RunRequest::agent,
              .help =
                  "the agent to run (default: claude, codex, gemini or opencode, the first that is "
                  "installed; see orch agents)",
              .value = "AGENT",
              .words = "{agents}",
              .record = "agent",
              .config = Config::kTrusted,
              .common = true},
    RunOption{.name = "--model",
              .group = Group::kAgent,
              .member = &RunRequest::model,
              .help = "the model that the agent uses (see orch capabilities AGENT)",
              .value = "MODEL",
              .record = "model",
              .common = true},
    RunOption{.name = "--effort",
              .group = Group::kAgent,
              .member = &RunRequest::effort,
              .help = "how hard the agent thinks, in its own words: low, medium, high",
              .value = "LEVEL",
              .record = "effort"},
    RunOption{.name = "--agent-program",
              .group = Group::kAgent,
              .member = &RunRequest::agent_program,
              .help = "the agent's program, where its name is not on the PATH",
              .value = "FILE",
              .words = "{files}",
              .record = "agent_program"},
    RunOption{.name = "--agent-flag",
              .group = Group::kAgent,
              .member = &RunRequest::agent_flags,
              .help =
                  "a further word for the agent's command line, as in --agent-flag=--verbose; may "
                  "be repeated",
              .value = "WORD",
              .record = "agent_flags"},
    RunOption{.name = "--mode",
              .group = Group::kAgent,
              .member = &RunRequest::mode,
              .help = "how the agent is driven; interactive (default): on a terminal of its own; "
                      "headless: by the JSON lines that it reads and writes",
              .form = Form::kOneOf,
              .words = "interactive headless",
              .record = "mode"},
    RunOption{.name = "--env",
              .group = Group::kAgent,
              .member = &RunRequest::env,
              .help = "give the agent a variable, with orch's own value or with this one, which ps "
                      "shows; may be repeated. Agents do not inherit the variables of CI systems "
                      "and multiplexers",
              .value = "NAME[=VALUE]",
              .record = "env"},

    RunOption{.name = "--until",
              .group = Group::kEnd,
              .member = &RunRequest::until,
              .help = "when the run is complete; complete: the agent says the keyword (default); "
                      "idle: its first turn is over; exit or exited: it exits (default after --)",
              .form = Form::kOneOf,
              .words = "complete idle exit exited",
              .record = "until"},
    RunOption{.name = "--complete-keyword",
              .group = Group::kEnd,
              .member = &RunRequest::keyword,
              .help = "what the agent says when all is done",
              .value = "WORD",
              .record = "complete_keyword"},
    RunOption{.name = "--max-turns",
              .group = Group::kEnd,
              .member = &RunRequest::max_turns,
              .help = "end the run after this many turns",
              .value = "N",
              .least = 1,
              .record = "max_turns"},
    RunOption{.name = "--max-tokens",
              .group = Group::kEnd,
              .member = &RunRequest::max_tokens,
              .help = "begin no further turn once the agent used this many tokens, in and out",
              .value = "N",
              .record = "max_tokens",
              .also = Also::kCrew},
    RunOption{.name = "--max-cost",
              .group = Group::kEnd,
              .member = &RunRequest::max_cost,
              .help = "begin no further turn once the agent cost this much",
              .value = "DOLLARS",
              .record = "max_cost",
              .also = Also::kCrew},
    RunOption{.name = "--timeout",
              .group = Group::kEnd,
              .member = &RunRequest::timeout,
              .help = "end the run after this long: 90s, 10m, 2h",
              .value = "TIME",
              .form = Form::kDuration,
              .record = "timeout",
              .config = Config::kAnyone,
              .also = Also::kCrew,
              .common = true},
    RunOption{.name = "--idle-timeout",
              .group = Group::kEnd,
              .member = &RunRequest::idle_timeout,
              .help = "end the run when the agent, at work, neither wrote nor showed any life for "
                      "this long",
              .value = "TIME",
              .form = Form::kDuration,
              .record = "idle_timeout",
              .config = Config::kAnyone},
    RunOption{.name = "--on-limit",
              .group = Group::kEnd,
              .member = &RunRequest::on_limit,
              .help = "at a rate limit or overload; exit: end with code 75 (default); wait: go on "
                      "when it is over",
              .form = Form::kOneOf,
              .words = "wait exit",
              .record = "on_limit",
              .config = Config::kAnyone},

    RunOption{.name = "--verify",
              .group = Group::kChecks,
              .member = &RunRequest::verify,
              .help = "a shell command that has to succeed in the end (a gate); may be repeated",
              .value = "COMMAND",
              .record = "verify",
              .common = true},
    RunOption{.name = "--fix-turns",
              .group = Group::kChecks,
              .member = &RunRequest::fix_turns,
              .help = "how often the agent is told which gate failed, to mend it (default: 0)",
              .value = "N",
              .record = "fix_turns"},
    RunOption{.name = "--verify-timeout",
              .group = Group::kChecks,
              .member = &RunRequest::verify_timeout,
              .help = "a gate that takes longer has failed (default: 10m)",
              .value = "TIME",
              .form = Form::kDuration,
              .record = "verify_timeout"},
    RunOption{.name = "--require-changes",
              .group = Group::kChecks,
              .member = &RunRequest::require_changes,
              .help = "the run fails unless files that git does not ignore, or the commit, have "
                      "changed",
              .record = "require_changes"},

    RunOption{.name = "--approve",
              .group = Group::kRights,
              .member = &RunRequest::approve,
              .help =
                  "who answers the agent's dialogs; none: you do (default); all: orch says yes, "
                  "but for what the denylist names; FILE: its rules say (docs/policy.md)",
              .value = "none|all|FILE",
              .words = "none all {files}",
              .record = "approve",
              .config = Config::kTrusted,
              .also = Also::kCrew,
              .common = true},
    RunOption{.name = "--ask-timeout",
              .group = Group::kRights,
              .member = &RunRequest::ask_timeout,
              .help =
                  "how long a dialog may wait for your answer; never, or 0: not at all (default: "
                  "never on your terminal and in the background, else 0)",
              .value = "TIME",
              .form = Form::kDuration,
              .words = "never 0",
              .record = "ask_timeout"},
    RunOption{.name = "--trust-agent",
              .group = Group::kRights,
              .member = &RunRequest::trust_agent,
              .help = "the agent, too, may send, type, reset and kill by orch's commands",
              .record = "trust_agent"},

    RunOption{
        .name = "--sandbox",
        .group = Group::kSandbox,
        .member = &RunRequest::sandbox,
        .help = "what shuts the agent in; auto (default): a fence of the kernel's where nobody "
                "is asked before the agent acts; landlock: always; docker, podman: a container; "
                "none: nothing",
        .form = Form::kOneOf,
        .words = "auto landlock docker podman none",
        .record = "sandbox",
        .also = Also::kCrew,
        .crew_help = "what shuts the agents in; auto (default): a fence of the kernel's where "
                     "nobody is asked before an agent acts; landlock: always; none: nothing",
        .crew_words = "auto landlock none"},
    RunOption{.name = "--write",
              .group = Group::kSandbox,
              .member = &RunRequest::write,
              .help = "the fence lets the agent write here, too; may be repeated",
              .value = "PATH",
              .words = "{files}",
              .record = "write"},
    RunOption{.name = "--read",
              .group = Group::kSandbox,
              .member = &RunRequest::read,
              .help =
                  "the fence lets the agent read this, although it holds keys or tokens; may be "
                  "repeated",
              .value = "PATH",
              .words = "{files}",
              .record = "read"},
    RunOption{.name = "--net",
              .group = Group::kSandbox,
              .member = &RunRequest::network,
              .help =
                  "network in the fence; none, or TCP ports (443,8080; udp adds datagrams). Of a "
                  "container: none, bridge (default), host or a network's name",
              .value = "PORTS",
              .words = "none",
              .record = "net"},
    RunOption{.name = "--image",
              .group = Group::kSandbox,
              .member = &RunRequest::image,
              .help = "make the container of this image, which has the agent installed; orch pulls "
                      "none",
              .value = "IMAGE",
              .record = "image"},
    RunOption{.name = "--container",
              .group = Group::kSandbox,
              .member = &RunRequest::container,
              .help = "work in this container, which a task of orch's holds",
              .value = "CONTAINER",
              .record = "container"},
    RunOption{.name = "--mount",
              .group = Group::kSandbox,
              .member = &RunRequest::mounts,
              .help = "a file or folder that the container has, too; may be repeated",
              .value = "SRC:DST[:ro]",
              .record = "mount"},
    RunOption{.name = "--memory",
              .group = Group::kSandbox,
              .member = &RunRequest::memory,
              .help = "the container's limit of memory: 512m, 4g (default: no limit)",
              .value = "SIZE",
              .record = "memory"},
    RunOption{.name = "--cpus",
              .group = Group::kSandbox,
              .member = &RunRequest::cpus,
              .help = "the container's limit of processors: 1.5 (default: no limit)",
              .value = "N",
              .record = "cpus"},
    RunOption{.name = "--pids-limit",
              .group = Group::kSandbox,
              .member = &RunRequest::pids_limit,
              .help = "the container's limit of processes; 0: no limit (default: 2048)",
              .value = "N",
              .record = "pids_limit"},
    RunOption{
        .name = "--no-snapshot",
        .group = Group::kSandbox,
        .member = &RunRequest::snapshot,
        .help = "do not save the work directory beforehand, which orch undo and orch diff need",
        .record = "snapshot"},

    RunOption{.name = "--cwd",
              .group = Group::kSession,
              .member = &RunRequest::cwd,
              .help = "the agent works in this folder",
              .value = "FOLDER",
              .words = "{files}",
              .record = "cwd"},
    RunOption{.name = "--worktree",
              .group = Group::kSession,
              .member = &RunRequest::worktree,
              .help = "the agent works in a git worktree of its own, <repository>.orch/<issue>, on "
                      "branch orch/<issue>",
              .record = "worktree",
              .common = true},
    RunOption{.name = "--shared-folder",
              .group = Group::kSession,
              .member = &RunRequest::shared_folder,
              .help = "several issues work in the same folder; without it agents in a git "
                      "repository get a worktree each",
              .record = "shared_folder",
              .config = Config::kTrusted},
    RunOption{.name = "-d,--detach",
              .group = Group::kSession,
              .member = &RunRequest::detach,
              .help = "run in the background; prints the name of each session",
              .also = Also::kAgain,
              .common = true},
    RunOption{.name = "--jobs",
              .group = Group::kSession,
              .member = &RunRequest::jobs,
              .help = "how many of the issues run at once (default: all); one that waits for you "
                      "makes room for another",
              .value = "N",
              .common = true},
    RunOption{.name = "--session-manager",
              .group = Group::kSession,
              .member = &RunRequest::session_manager,
              .help = "what holds a session of -d; native (default), tmux, zellij; auto: the first "
                      "that is there, native in containers and CI",
              .form = Form::kOneOf,
              .words = "native tmux zellij auto",
              .record = "session_manager",
              .config = Config::kAnyone,
              .also = Also::kCrew,
              .crew_help = "what holds the agents' terminals; native (default); tmux: the panes of "
                           "one session",
              .crew_words = "native tmux"},
    RunOption{.name = "--size",
              .group = Group::kSession,
              .member = &RunRequest::size,
              .help = "size of the agent's terminal (default: yours, else 120x40)",
              .value = "COLSxROWS",
              .form = Form::kSize,
              .record = "size",
              .config = Config::kAnyone,
              .also = Also::kCrew,
              .crew_help = "size of the agents' terminals (default: 120x40)"},
    RunOption{.name = "--no-hooks",
              .group = Group::kSession,
              .member = &RunRequest::hooks,
              .help = "learn the agent's state from its screen alone, not from its own hooks",
              .record = "hooks"},

    RunOption{.name = "--output",
              .group = Group::kOutput,
              .member = &RunRequest::output,
              .help = "what goes to standard output; text: the agent's words (default); raw: its "
                      "terminal's bytes; json: events, one a line; quiet: nothing",
              .form = Form::kOneOf,
              .words = "text raw json quiet",
              .also = Also::kAgain,
              .common = true},
    RunOption{.name = "--color",
              .group = Group::kOutput,
              .member = &RunRequest::color,
              .help = "when colours are used; auto (default): on a terminal; always; never",
              .form = Form::kOneOf,
              .words = "auto always never",
              .config = Config::kAnyone,
              .also = Also::kAgain},
    RunOption{.name = "--live",
              .group = Group::kOutput,
              .member = &RunRequest::live,
              .help =
                  "auto: while the agent of a single issue works on your terminal, its last rows "
                  "and its dialogs are shown there; never: its words alone",
              .form = Form::kOneOf,
              .words = "auto never",
              .config = Config::kAnyone,
              .also = Also::kAgain},
    RunOption{.name = "--notify",
              .group = Group::kOutput,
              .member = &RunRequest::notify,
              .help =
                  "run this shell command when a session waits for you and when it ends; it reads "
                  "the event, as JSON, on its standard input",
              .value = "COMMAND"},
    RunOption{.name = "--no-bell",
              .group = Group::kOutput,
              .member = &RunRequest::bell,
              .help = "do not ring, nor set the terminal's title, when you are needed",
              .config = Config::kAnyone},

    RunOption{.name = "--artifacts",
              .group = Group::kRecord,
              .member = &RunRequest::artifacts,
              .help = "keep here what CI wants of the run: recording, words, events, result, log, "
                      "screen, junit.xml, report.html",
              .value = "FOLDER",
              .words = "{files}"},
    RunOption{.name = "--no-record",
              .group = Group::kRecord,
              .member = &RunRequest::record,
              .help = "keep neither the recording nor the agent's words",
              .record = "record"},
    RunOption{.name = "--record-limit",
              .group = Group::kRecord,
              .member = &RunRequest::record_limit,
              .help = "the recording ends at this size, the run goes on (default: 256M)",
              .value = "SIZE",
              .form = Form::kBytes,
              .record = "record_limit"},
    RunOption{
        .name = "--keep",
        .group = Group::kRecord,
        .member = &RunRequest::keep,
        .help = "how long orch gc leaves the run (default: 30d), and a failed session of -d stays "
                "listed (default: 24h): 12h, 7d",
        .value = "TIME",
        .form = Form::kDuration,
        .record = "keep",
        .config = Config::kAnyone},
    RunOption{.name = "--state-dir",
              .group = Group::kRecord,
              .member = &RunRequest::state_dir,
              .help = "where runs are kept (default: $XDG_STATE_HOME/orch)",
              .value = "FOLDER",
              .words = "{files}",
              .also = Also::kBoth},
};

bool is_word(const RunOption& option, std::string_view value, Also command) {
  const std::vector<std::string_view> words = base::split_at_blanks(words_in(option, command));
  return std::find(words.begin(), words.end(), value) != words.end();
}

// "write complete, idle or exit"
std::string choice_text(const RunOption& option, Also command) {
  const std::vector<std::string_view> words = base::split_at_blanks(words_in(option, command));
  std::string text = "write ";
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

Status check_text(const RunOption& option, const std::string& value, Also command) {
  if (option.form == Form::kDuration && is_word(option, value, command)) return base::Ok{};
  switch (option.form) {
    case Form::kText:
      return base::Ok{};
    case Form::kOneOf:
      return is_word(option, value, command) ? Status(base::Ok{})
                                             : usage_error(choice_text(option, command));
    case Form::kDuration:
      if (const auto duration = base::parse_duration(value); !duration) return duration.error();
      return base::Ok{};
    case Form::kBytes:
      return parse_bytes(value) ? Status(base::Ok{})
                                : usage_error("write a size, like 64K, 256M or 2G");
    case Form::kSize: {
      const auto size = parse_terminal_size(value);
      return size ? Status(base::Ok{}) : Status(size.error());
    }
  }
  return base::Ok{};
}

Status check_number(const RunOption& option, int value) {
  if (value >= option.least) return base::Ok{};
  return usage_error("must be at least " + std::to_string(option.least));
}

constexpr bool clears(const RunOption& option) { return option.name.starts_with("--no-"); }

}  // namespace

std::string_view title(Group group) {
  switch (group) {
    case Group::kTask:
      return "What to do";
    case Group::kAgent:
      return "The agent";
    case Group::kEnd:
      return "When it ends";
    case Group::kChecks:
      return "Gates";
    case Group::kRights:
      return "What it may do";
    case Group::kSandbox:
      return "Where it is shut in";
    case Group::kSession:
      return "Where it works";
    case Group::kOutput:
      return "Output";
    case Group::kRecord:
      return "Records";
  }
  return "";
}

std::span<const RunOption> run_options() { return kRunOptions; }

const RunOption* find_run_option(std::string_view name) {
  const auto found =
      std::find_if(kRunOptions.begin(), kRunOptions.end(),
                   [name](const RunOption& option) { return long_name(option) == name; });
  return found == kRunOptions.end() ? nullptr : &*found;
}

std::string_view long_name(const RunOption& option) {
  return option.name.substr(option.name.find("--"));
}

std::string_view config_name(const RunOption& option) {
  return long_name(option).substr(clears(option) ? std::string_view("--no-").size()
                                                 : std::string_view("--").size());
}

bool stands_in(const RunOption& option, Also command) {
  return option.also == command || (option.also == Also::kBoth && command != Also::kNone);
}

std::string_view help_in(const RunOption& option, Also command) {
  return command == Also::kCrew && !option.crew_help.empty() ? option.crew_help : option.help;
}

std::string_view words_in(const RunOption& option, Also command) {
  return command == Also::kCrew && !option.crew_words.empty() ? option.crew_words : option.words;
}

std::string value_text(const RunOption& option, const RunRequest& request) {
  return std::visit(
      [&request](auto member) -> std::string {
        const auto& value = request.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>) return value;
        if constexpr (std::is_same_v<Value, bool>) return value ? "true" : "false";
        if constexpr (std::is_same_v<Value, int>) return std::to_string(value);
        if constexpr (std::is_same_v<Value, std::optional<std::string>>) return value.value_or("");
        if constexpr (std::is_same_v<Value, std::optional<int>>) {
          return value ? std::to_string(*value) : "";
        }
        return "";
      },
      option.member);
}

Status set_value(const RunOption& option, const std::string& value, RunRequest& request) {
  return std::visit(
      [&](auto member) -> Status {
        using Value = std::decay_t<decltype(request.*member)>;
        if constexpr (std::is_same_v<Value, bool>) {
          if (value != "true" && value != "false") return usage_error("write true or false");
          request.*member = value == "true";
        } else if constexpr (std::is_same_v<Value, int> ||
                             std::is_same_v<Value, std::optional<int>>) {
          int number = 0;
          const char* end = value.data() + value.size();
          const auto [rest, failure] = std::from_chars(value.data(), end, number);
          if (failure != std::errc() || rest != end) return usage_error("write a number");
          if (Status s = check_number(option, number); !s) return s;
          request.*member = number;
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          (request.*member).push_back(value);
        } else {
          const bool is_default = value == value_text(option, RunRequest());
          if (Status s = is_default ? base::Ok{} : check_text(option, value, Also::kNone); !s)
            return s;
          request.*member = value;
        }
        return base::Ok{};
      },
      option.member);
}

void copy_value(const RunOption& option, const RunRequest& from, RunRequest& to) {
  std::visit([&](auto member) { to.*member = from.*member; }, option.member);
}

Status check_values(const RunRequest& request, Also command) {
  const RunRequest defaults;
  for (const RunOption& option : kRunOptions) {
    const Status checked = std::visit(
        [&](auto member) -> Status {
          const auto& value = request.*member;
          using Value = std::decay_t<decltype(value)>;
          if (value == defaults.*member) return base::Ok{};
          if constexpr (std::is_same_v<Value, std::string>) {
            return check_text(option, value, command);
          }
          if constexpr (std::is_same_v<Value, int>) return check_number(option, value);
          if constexpr (std::is_same_v<Value, std::optional<int>>) {
            return check_number(option, value.value_or(option.least));
          }
          return base::Ok{};
        },
        option.member);
    if (checked) continue;
    const bool is_number = !std::holds_alternative<std::string RunRequest::*>(option.member);
    return usage_error(std::string(long_name(option)) +
                       (is_number ? " " : " " + value_text(option, request) + ": ") +
                       checked.error().text);
  }
  return base::Ok{};
}

base::Result<int64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  const base::Error error =
      usage_error("\"" + std::string(text) + "\" is no size; write 64K, 256M or 2G");
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (failure != std::errc() || number <= 0 || unit.size() > 1) return error;
  if (unit.empty()) return number;
  const size_t power = kUnits.find(unit.front());
  if (power == std::string_view::npos) return error;
  const int64_t factor = int64_t{1} << (10 * (power + 1));
  if (number > std::numeric_limits<int64_t>::max() / factor) return error;
  return number * factor;
}

}  // namespace orch::options
