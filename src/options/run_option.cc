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
    RunOption{.name = "--agent",
              .group = Group::kAgent,
              .member = &RunRequest::agent,
              .help = "which agent; see orch agents",
              .words = "{agents}",
              .record = "agent",
              .config = Config::kTrusted},
    RunOption{.name = "-p,--prompt",
              .group = Group::kAgent,
              .member = &RunRequest::prompt,
              .help = "what the agent is to do"},
    RunOption{.name = "--prompt-file",
              .group = Group::kAgent,
              .member = &RunRequest::prompt_file,
              .help = "read the prompt from a file; - is stdin",
              .words = "{files}"},
    RunOption{.name = "--system-prompt",
              .group = Group::kAgent,
              .member = &RunRequest::system_prompt_file,
              .help = "add the text of a file to the agent's system prompt",
              .words = "{files}",
              .record = "system_prompt"},
    RunOption{.name = "--model",
              .group = Group::kAgent,
              .member = &RunRequest::model,
              .help = "the agent's model",
              .record = "model"},
    RunOption{.name = "--effort",
              .group = Group::kAgent,
              .member = &RunRequest::effort,
              .help = "the agent's reasoning effort",
              .record = "effort"},
    RunOption{.name = "--agent-program",
              .group = Group::kAgent,
              .member = &RunRequest::agent_program,
              .help = "the agent's program, where it is not the one of its name on the PATH",
              .words = "{files}",
              .record = "agent_program"},
    RunOption{.name = "--agent-flag",
              .group = Group::kAgent,
              .member = &RunRequest::agent_flags,
              .help = "a further word for the agent's command line, as --agent-flag=--verbose; may "
                      "be given several times",
              .record = "agent_flags"},
    RunOption{.name = "--mode",
              .group = Group::kAgent,
              .member = &RunRequest::mode,
              .help = "interactive: the agent on a terminal of its own; headless: without one, by "
                      "the JSON lines that it writes",
              .form = Form::kOneOf,
              .words = "interactive headless",
              .record = "mode"},
    RunOption{.name = "--env",
              .group = Group::kAgent,
              .member = &RunRequest::env,
              .help = "a variable for the agent: NAME as orch has it, though agents do not inherit "
                      "it (see README), or NAME=VALUE, which ps shows",
              .record = "env"},

    RunOption{.name = "--until",
              .group = Group::kEnd,
              .member = &RunRequest::until,
              .help = "complete: the agent says the keyword (default); idle: one turn; exit: the "
                      "agent exits (default after --)",
              .form = Form::kOneOf,
              .words = "complete idle exit",
              .record = "until"},
    RunOption{.name = "--complete-keyword",
              .group = Group::kEnd,
              .member = &RunRequest::keyword,
              .help = "what the agent says when all is done",
              .record = "complete_keyword"},
    RunOption{.name = "--max-turns",
              .group = Group::kEnd,
              .member = &RunRequest::max_turns,
              .help = "give up after so many turns",
              .least = 1,
              .record = "max_turns"},
    RunOption{.name = "--max-tokens",
              .group = Group::kEnd,
              .member = &RunRequest::max_tokens,
              .help = "no further turn once the agent used so many, in and out",
              .record = "max_tokens",
              .also = Also::kCrew},
    RunOption{.name = "--max-cost",
              .group = Group::kEnd,
              .member = &RunRequest::max_cost,
              .help = "no further turn once the agent cost so many US dollars",
              .record = "max_cost",
              .also = Also::kCrew},
    RunOption{.name = "--timeout",
              .group = Group::kEnd,
              .member = &RunRequest::timeout,
              .help = "end the run after this long: 90s, 10m, 2h",
              .form = Form::kDuration,
              .record = "timeout",
              .config = Config::kAnyone,
              .also = Also::kCrew},
    RunOption{.name = "--idle-timeout",
              .group = Group::kEnd,
              .member = &RunRequest::idle_timeout,
              .help = "end the run when the agent was at work this long without output, and its "
                      "processes show no life",
              .form = Form::kDuration,
              .record = "idle_timeout",
              .config = Config::kAnyone},
    RunOption{.name = "--on-limit",
              .group = Group::kEnd,
              .member = &RunRequest::on_limit,
              .help = "at a rate limit or overload: wait until it ends and go on, or exit with 75",
              .form = Form::kOneOf,
              .words = "wait exit",
              .record = "on_limit",
              .config = Config::kAnyone},

    RunOption{.name = "--verify",
              .group = Group::kChecks,
              .member = &RunRequest::verify,
              .help = "shell command that has to succeed once the agent says that it is done, "
                      "where the agent ran; may be given several times",
              .record = "verify"},
    RunOption{.name = "--fix-turns",
              .group = Group::kChecks,
              .member = &RunRequest::fix_turns,
              .help = "so often the agent is told of a --verify command that failed, to mend it "
                      "(default: 0)",
              .record = "fix_turns"},
    RunOption{.name = "--verify-timeout",
              .group = Group::kChecks,
              .member = &RunRequest::verify_timeout,
              .help = "kill a --verify command that takes longer, which fails it (default: 10m)",
              .form = Form::kDuration,
              .record = "verify_timeout"},
    RunOption{.name = "--require-changes",
              .group = Group::kChecks,
              .member = &RunRequest::require_changes,
              .help = "fail unless another commit is checked out in the end, or a file differs "
                      "that git does not ignore",
              .record = "require_changes"},

    RunOption{.name = "--approve",
              .group = Group::kRights,
              .member = &RunRequest::approve,
              .help = "which dialogs are answered: none; all (permissions once, plans, trust; "
                      "never what the denylist names); or a FILE of rules",
              .words = "none all {files}",
              .record = "approve",
              .config = Config::kTrusted,
              .also = Also::kCrew},
    RunOption{.name = "--ask-timeout",
              .group = Group::kRights,
              .member = &RunRequest::ask_timeout,
              .help = "how long a dialog may wait for an answer of yours: 10m, never, or 0 "
                      "(default: never in the background and on a terminal of yours, else 0)",
              .form = Form::kDuration,
              .words = "never 0",
              .record = "ask_timeout"},
    RunOption{.name = "--trust-agent",
              .group = Group::kRights,
              .member = &RunRequest::trust_agent,
              .help = "let what the agent starts type keys, send, reset and kill as you may",
              .record = "trust_agent"},

    RunOption{.name = "--sandbox",
              .group = Group::kSandbox,
              .member = &RunRequest::sandbox,
              .help = "auto: a fence of the kernel's when nobody is asked before the agent acts; "
                      "landlock: always; docker, podman: a container of the run's own; none: "
                      "never. See orch doctor",
              .form = Form::kOneOf,
              .words = "auto landlock docker podman none",
              .record = "sandbox",
              .also = Also::kCrew},
    RunOption{.name = "--write",
              .group = Group::kSandbox,
              .member = &RunRequest::write,
              .help = "in the fence: the agent may write to this file or folder, too",
              .words = "{files}",
              .record = "write"},
    RunOption{.name = "--read",
              .group = Group::kSandbox,
              .member = &RunRequest::read,
              .help = "in the fence: ... may read this, although keys and tokens are closed to it",
              .words = "{files}",
              .record = "read"},
    RunOption{.name = "--net",
              .group = Group::kSandbox,
              .member = &RunRequest::network,
              .help = "in the fence: none; or TCP ports between commas, with udp among them for "
                      "datagrams (443,udp). Of a container none, bridge (default), host or the "
                      "name of a network",
              .words = "none",
              .record = "net"},
    RunOption{.name = "--image",
              .group = Group::kSandbox,
              .member = &RunRequest::image,
              .help = "the container is made of this image, in which the agent is installed; orch "
                      "fetches none",
              .record = "image"},
    RunOption{.name = "--container",
              .group = Group::kSandbox,
              .member = &RunRequest::container,
              .help = "work in this container, which a task of orch's holds, in place of a new one",
              .record = "container"},
    RunOption{.name = "--mount",
              .group = Group::kSandbox,
              .member = &RunRequest::mounts,
              .help = "SRC:DST[:ro]: a file or folder that the container has, too; may be given "
                      "several times",
              .record = "mount"},
    RunOption{.name = "--memory",
              .group = Group::kSandbox,
              .member = &RunRequest::memory,
              .help = "the container may take so much: 512m, 4g (default: no limit)",
              .record = "memory"},
    RunOption{.name = "--cpus",
              .group = Group::kSandbox,
              .member = &RunRequest::cpus,
              .help = "... so many processors: 1.5 (default: no limit)",
              .record = "cpus"},
    RunOption{.name = "--pids-limit",
              .group = Group::kSandbox,
              .member = &RunRequest::pids_limit,
              .help = "... so many processes; 0: no limit (default: 2048)",
              .record = "pids_limit"},
    RunOption{.name = "--no-snapshot",
              .group = Group::kSandbox,
              .member = &RunRequest::snapshot,
              .help = "do not save the work directory beforehand, for orch undo, where a fence is "
                      "raised or a policy answers",
              .record = "snapshot"},

    RunOption{.name = "--cwd",
              .group = Group::kSession,
              .member = &RunRequest::cwd,
              .help = "the agent's working directory",
              .words = "{files}",
              .record = "cwd"},
    RunOption{.name = "--worktree",
              .group = Group::kSession,
              .member = &RunRequest::worktree,
              .help = "the agent works in a git worktree of its own, <repository>.orch/<issue> on "
                      "branch orch/<issue>, removed when the run completed and nothing would be "
                      "lost",
              .record = "worktree"},
    RunOption{.name = "-d,--detach",
              .group = Group::kSession,
              .member = &RunRequest::detach,
              .help = "run in the background; prints the session's name",
              .also = Also::kAgain},
    RunOption{.name = "--jobs",
              .group = Group::kSession,
              .member = &RunRequest::jobs,
              .help = "how many of the issues work at once (default: all); one that waits for you "
                      "gives its slot to another"},
    RunOption{.name = "--session-manager",
              .group = Group::kSession,
              .member = &RunRequest::session_manager,
              .help = "what holds a session of -d: native, tmux, zellij; or auto, the first of "
                      "tmux, zellij and native that is there, native in containers and CI",
              .form = Form::kOneOf,
              .words = "native tmux zellij auto",
              .record = "session_manager",
              .config = Config::kAnyone,
              .also = Also::kCrew},
    RunOption{.name = "--size",
              .group = Group::kSession,
              .member = &RunRequest::size,
              .help = "COLSxROWS of the agent's terminal (default: yours, else 120x40)",
              .form = Form::kSize,
              .record = "size",
              .config = Config::kAnyone,
              .also = Also::kCrew},
    RunOption{.name = "--no-hooks",
              .group = Group::kSession,
              .member = &RunRequest::hooks,
              .help = "do not have the agent's own hooks tell its state too",
              .record = "hooks"},

    RunOption{.name = "--output",
              .group = Group::kOutput,
              .member = &RunRequest::output,
              .help = "text, raw, json or quiet",
              .form = Form::kOneOf,
              .words = "text raw json quiet",
              .also = Also::kAgain},
    RunOption{.name = "--color",
              .group = Group::kOutput,
              .member = &RunRequest::color,
              .help = "auto, always or never",
              .form = Form::kOneOf,
              .words = "auto always never",
              .config = Config::kAnyone,
              .also = Also::kAgain},
    RunOption{.name = "--notify",
              .group = Group::kOutput,
              .member = &RunRequest::notify,
              .help = "shell command to run when a session waits at a dialog and when it ends; "
                      "gets the event as JSON on its standard input"},
    RunOption{.name = "--no-bell",
              .group = Group::kOutput,
              .member = &RunRequest::bell,
              .help = "do not ring, nor change the terminal's title, when you are needed",
              .config = Config::kAnyone},

    RunOption{.name = "--artifacts",
              .group = Group::kRecord,
              .member = &RunRequest::artifacts,
              .help = "a folder for what CI keeps of the run: recording, words, events, result, "
                      "log, screen, junit.xml, report.html; of several issues each in a folder of "
                      "its own",
              .words = "{files}"},
    RunOption{.name = "--no-record",
              .group = Group::kRecord,
              .member = &RunRequest::record,
              .help = "keep neither the recording nor the agent's words",
              .record = "record"},
    RunOption{.name = "--record-limit",
              .group = Group::kRecord,
              .member = &RunRequest::record_limit,
              .help = "end the recording, not the run, at this size (default: 256M)",
              .form = Form::kBytes,
              .record = "record_limit"},
    RunOption{.name = "--keep",
              .group = Group::kRecord,
              .member = &RunRequest::keep,
              .help = "orch gc may remove the run after this long: 12h, 7d; a session of -d that "
                      "failed stays listed as long (default: 24h)",
              .form = Form::kDuration,
              .record = "keep",
              .config = Config::kAnyone},
    RunOption{.name = "--state-dir",
              .group = Group::kRecord,
              .member = &RunRequest::state_dir,
              .help = "where runs are kept (default: $XDG_STATE_HOME/orch)",
              .words = "{files}",
              .also = Also::kBoth},
};

bool is_word(const RunOption& option, std::string_view value) {
  const std::vector<std::string_view> words = base::split_at_blanks(option.words);
  return std::find(words.begin(), words.end(), value) != words.end();
}

// "write complete, idle or exit"
std::string choice_text(const RunOption& option) {
  const std::vector<std::string_view> words = base::split_at_blanks(option.words);
  std::string text = "write ";
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

Status check_text(const RunOption& option, const std::string& value) {
  if (option.form == Form::kDuration && is_word(option, value)) return base::Ok{};
  switch (option.form) {
    case Form::kText:
      return base::Ok{};
    case Form::kOneOf:
      return is_word(option, value) ? Status(base::Ok{}) : usage_error(choice_text(option));
    case Form::kDuration:
      return base::parse_duration(value) ? Status(base::Ok{})
                                         : usage_error("write a duration, like 90s, 10m or 2h");
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
    case Group::kAgent:
      return "The agent and its task";
    case Group::kEnd:
      return "When the run is over";
    case Group::kChecks:
      return "What has to hold in the end";
    case Group::kRights:
      return "What the agent may do";
    case Group::kSandbox:
      return "Where the agent is shut in";
    case Group::kSession:
      return "Where the agent works";
    case Group::kOutput:
      return "What is shown";
    case Group::kRecord:
      return "What is kept";
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
          if (Status s = is_default ? base::Ok{} : check_text(option, value); !s) return s;
          request.*member = value;
        }
        return base::Ok{};
      },
      option.member);
}

void copy_value(const RunOption& option, const RunRequest& from, RunRequest& to) {
  std::visit([&](auto member) { to.*member = from.*member; }, option.member);
}

Status check_values(const RunRequest& request) {
  const RunRequest defaults;
  for (const RunOption& option : kRunOptions) {
    const Status checked = std::visit(
        [&](auto member) -> Status {
          const auto& value = request.*member;
          using Value = std::decay_t<decltype(value)>;
          if (value == defaults.*member) return base::Ok{};
          if constexpr (std::is_same_v<Value, std::string>) return check_text(option, value);
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
