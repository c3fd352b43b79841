#include "cli/run_options.h"

#include <charconv>
#include <set>

#include "adapters/capabilities.h"
#include "base/duration.h"
#include "base/text.h"
#include "cli/agent_launch.h"
#include "cli/agents.h"
#include "cli/byte_size.h"
#include "cli/managers.h"
#include "cli/own_programs.h"
#include "cli/paths.h"
#include "cli/repository.h"
#include "cli/run_budget.h"
#include "cli/run_request.h"
#include "cli/run_secrets.h"
#include "cli/versions.h"
#include "client/kept_sessions.h"
#include "host/runtime_dir.h"
#include "run/completion.h"
#include "store/issue_name.h"
#include "ui/user_terminal.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

constexpr const char* kDemoIssue = "demo";
constexpr const char* kDemoPrompt = "Show what an agent does.";

Status check_issues(const std::vector<std::string>& issues) {
  std::set<std::string> seen;
  for (const std::string& issue : issues) {
    if (Status s = store::check_issue_name(issue); !s) return s;
    if (!seen.insert(issue).second) {
      return usage_error("issue " + issue + " is given twice");
    }
  }
  return base::Ok{};
}

Result<run::Until> parse_until(const RunOptions& options) {
  if (options.until.empty()) {
    return options.command.empty() ? run::Until::kComplete : run::Until::kExit;
  }
  if (options.until == "complete") return run::Until::kComplete;
  if (options.until == "idle") return run::Until::kIdle;
  if (options.until == "exit") return run::Until::kExit;
  return usage_error("--until " + options.until + ": write complete, idle or exit");
}

Result<ui::OutputMode> parse_output(const RunOptions& options) {
  if (options.output == "text") return ui::OutputMode::kText;
  if (options.output == "json") return ui::OutputMode::kJson;
  if (options.output == "quiet") return ui::OutputMode::kQuiet;
  if (options.output != "raw") {
    return usage_error("--output " + options.output + ": write text, raw, json or quiet");
  }
  if (options.issues.size() > 1) {
    return usage_error("--output raw mixes the screens of several issues; use text or json");
  }
  return ui::OutputMode::kRaw;
}

Status choose_agent(const RunOptions& options, const std::string& repository, AgentChoice& choice,
                    std::vector<std::string>& notes) {
  Result<adapters::Registry> agents = load_agents(repository);
  if (!agents) return agents.error();
  choice.agents = std::move(agents).value();
  std::string name = options.agent;
  if (name.empty() && !options.agent_program.empty()) {
    return usage_error("--agent-program " + base::printable(options.agent_program) +
                       ": say which agent that is, with --agent NAME");
  }
  if (name.empty() && options.command.empty() && wants_container(options.sandbox)) {
    return usage_error("--sandbox " + options.sandbox.kind +
                       ": which agent is in the image? name it with --agent");
  }
  if (name.empty() && !options.command.empty()) name = "command";
  if (name.empty() && options.issues == std::vector<std::string>{kDemoIssue}) name = "demo";
  Result<const adapters::Manifest*> manifest =
      name.empty() ? default_agent(choice.agents) : find_agent(choice.agents, name);
  if (!manifest) return manifest.error();
  choice.manifest = *manifest;
  if (name.empty()) {
    notes.push_back("agent " + choice.manifest->name + " (the first installed; see --agent)");
  }
  if (!options.agent_program.empty() && choice.manifest->program.empty()) {
    return usage_error("--agent-program: agent " + choice.manifest->name +
                       " has no program of its own");
  }
  if (!options.command.empty() && choice.manifest->idle_known) {
    return usage_error("agent " + choice.manifest->name +
                       ": a command after -- goes with --agent command only");
  }
  Result<detect::RuleSet> rules = detect::RuleSet::compile(choice.manifest->rules);
  if (!rules) return rules.error();
  choice.rules.emplace(std::move(rules).value());
  choice.speakers = driver::Speakers::of(*choice.manifest);
  return base::Ok{};
}

// The task in the user's words: -p, --prompt-file, or the issue's own file.
Result<std::string> task_text(const RunOptions& options, const AgentChoice& choice,
                              run::Until until, const std::string& repository,
                              const std::string& issue) {
  if (options.prompt) return *options.prompt;
  if (!options.prompt_file.empty()) return read_text(options.prompt_file);
  const std::string path = issue_file(issue);
  Result<std::string> text = read_brought(repository, path);
  if (text || text.error().code != base::ErrorCode::kNotFound) return text;
  if (until == run::Until::kExit) return std::string();
  if (choice.manifest->name == "demo") return std::string(kDemoPrompt);
  return usage_error("issue " + issue +
                     " has no prompt: give one with -p or --prompt-file, or write " + repository +
                     "/" + path);
}

// The task, checked; "" where there is none to give.
Result<std::string> checked_task(const RunOptions& options, const AgentChoice& choice,
                                 run::Until until, const std::string& repository,
                                 const std::string& issue) {
  if (!choice.manifest->idle_known) {
    if (!options.prompt.value_or("").empty() || !options.prompt_file.empty()) {
      return usage_error("agent " + choice.manifest->name +
                         " takes no prompt: when it is ready for one is not known");
    }
    if (until != run::Until::kExit) {
      return usage_error("agent " + choice.manifest->name + " can only be run --until exit");
    }
    return std::string();
  }
  Result<std::string> task = task_text(options, choice, until, repository, issue);
  if (!task) return task;
  if (task->empty() && until == run::Until::kExit) return task;  // orch send brings the messages
  if (const auto bad = base::invalid_utf8_at(*task)) {
    return usage_error("the prompt is not valid UTF-8 at byte " + std::to_string(*bad));
  }
  if (base::trim(*task).empty()) return usage_error("the prompt of issue " + issue + " is empty");
  return task;
}

// What the agent is told.
std::string compose_prompt(const RunOptions& options, run::Until until, const std::string& task) {
  if (until != run::Until::kComplete) return task;
  return task + (task.ends_with('\n') ? "\n" : "\n\n") +
         run::completion_instruction(options.keyword);
}

Result<session::Mode> parse_mode(const RunOptions& options, const AgentChoice& choice) {
  if (options.mode == "interactive") return session::Mode::kInteractive;
  if (options.mode != "headless") {
    return usage_error("--mode " + options.mode + ": write interactive or headless");
  }
  const adapters::Manifest& agent = *choice.manifest;
  if (Status s = adapters::require(agent, adapters::Capability::kNonInteractive,
                                   ": write --mode interactive");
      !s) {
    return s.error();
  }
  const bool by_rules = options.approve != "none" && options.approve != "all";
  if (by_rules && !agent.headless.asks_us()) {
    return usage_error("agent " + agent.name + " cannot ask in headless mode what --approve " +
                       options.approve +
                       " says (supports_permission_requests is false): write none or all, or "
                       "--mode interactive");
  }
  if (options.session_manager != "native" && options.session_manager != "auto") {
    return usage_error("--session-manager " + options.session_manager +
                       " holds terminals: there is none with --mode headless");
  }
  return session::Mode::kHeadless;
}

// Where a fenced agent may leave programs.
std::vector<std::string> writable_places(const std::optional<session::FenceWish>& fence,
                                         const std::string& cwd) {
  if (!fence || !fence->offer.any()) return {};
  std::vector<std::string> places = fence->write;
  places.push_back(cwd);
  return places;
}

Result<policy::Policy> parse_policy(const std::string& approve, const std::string& repository) {
  if (approve == "none") return policy::Policy::none();
  if (approve == "all") return policy::Policy::all();
  const Result<std::string> text = read_rules(repository, approve);
  if (!text) {
    return usage_error("--approve " + approve +
                       ": write none, all or a file: " + text.error().text);
  }
  return policy::Policy::parse(*text, approve);
}

Result<session::RecordPlan> record_plan_of(const RunOptions& options) {
  session::RecordPlan plan;
  plan.keep = !options.no_record;
  if (!options.record_limit.empty()) {
    Result<int64_t> limit = parse_size_in_bytes(options.record_limit);
    if (!limit) return limit.error();
    plan.limit_bytes = *limit;
  }
  if (!options.keep.empty()) {
    Result<int64_t> keep = base::parse_duration(options.keep);
    if (!keep) return keep.error();
    plan.keep_for_ms = *keep;
  }
  return plan;
}

// Where nobody is at the terminal, who waits in the background is answered from elsewhere.
Result<int64_t> parse_ask_timeout(const RunOptions& options) {
  if (options.ask_timeout.empty()) return options.detach ? run::kNever : 0;
  if (options.ask_timeout == "never") return run::kNever;
  if (options.ask_timeout == "0") return 0;
  return base::parse_duration(options.ask_timeout);
}

Result<run::GatePlan> gates_of(const RunOptions& options) {
  run::GatePlan plan;
  plan.commands = options.verify;
  plan.fix_turns = options.fix_turns;
  for (const std::string& command : options.verify) {
    if (base::trim(command).empty()) return usage_error("--verify: the command is empty");
    if (const auto bad = base::invalid_utf8_at(command)) {
      return usage_error("--verify: the command is not valid UTF-8 at byte " +
                         std::to_string(*bad));
    }
  }
  if (options.fix_turns < 0) return usage_error("--fix-turns must be at least 0");
  if (options.verify.empty() && (options.fix_turns > 0 || !options.verify_timeout.empty())) {
    return usage_error(std::string(options.fix_turns > 0 ? "--fix-turns" : "--verify-timeout") +
                       " goes with --verify CMD, which says what has to succeed");
  }
  if (options.require_changes && options.sandbox.no_snapshot) {
    return usage_error(
        "--require-changes compares the work directory with its snapshot: leave out "
        "--no-snapshot");
  }
  if (options.verify_timeout.empty()) return plan;
  Result<int64_t> timeout = base::parse_duration(options.verify_timeout);
  if (!timeout) return timeout.error();
  plan.timeout_ms = *timeout;
  return plan;
}

// Files of this machine are not in a container.
Status check_system_prompt(const RunOptions& options, const adapters::Manifest& agent) {
  const auto words = agent.options.find("system_prompt");
  if (options.system_prompt_file.empty() || words == agent.options.end()) return base::Ok{};
  const auto names_file = [](const std::string& word) { return word.find("{file}") != word.npos; };
  if (std::none_of(words->second.begin(), words->second.end(), names_file)) return base::Ok{};
  return usage_error("--system-prompt: agent " + agent.name +
                     " reads it from a file, which is not in its container; say it in the prompt");
}

Status check_completion(const RunOptions& options) {
  if (Status s = run::check_keyword(options.keyword); !s) return s;
  if (options.max_turns < 1) return usage_error("--max-turns must be at least 1");
  return base::Ok{};
}

}  // namespace

Result<term::Size> parse_size(const std::string& text) {
  term::Size size;
  const char* end = text.data() + text.size();
  const auto [x, first] = std::from_chars(text.data(), end, size.cols);
  const bool has_x = first == std::errc() && x != end && *x == 'x';
  const auto [rest, second] = std::from_chars(has_x ? x + 1 : end, end, size.rows);
  if (!has_x || second != std::errc() || rest != end) {
    return usage_error("--size " + text + ": write COLSxROWS, like 120x40");
  }
  if (size.cols == 0 && size.rows == 0) return term::Size{120, 40};
  if (size.cols < 20 || size.rows < 5 || size.cols > term::kMaxCols || size.rows > term::kMaxRows) {
    return usage_error("--size " + text + ": from 20x5 to " + std::to_string(term::kMaxCols) + "x" +
                       std::to_string(term::kMaxRows));
  }
  return size;
}

Result<RunSetup> prepare_run(const RunOptions& options, AgentChoice& choice) {
  Result<RunSetup> setup = plan_run(options, choice, nullptr);
  if (!setup || !setup->to_ask) return setup;
  const std::string version = ask_version(*setup->to_ask);
  const std::string note = newer_note(*choice.manifest, version);
  if (!note.empty()) setup->notes.push_back(note);
  for (session::SessionSetup& session : setup->sessions) session.agent_version = version;
  return setup;
}

Result<RunSetup> plan_run(const RunOptions& options, AgentChoice& choice,
                          const fence::Offer* offer) {
  RunSetup setup;
  if (Status s = check_issues(options.issues); !s) return s.error();
  if (Status s = check_completion(options); !s) return s.error();
  Result<ui::OutputMode> output = parse_output(options);
  if (!output) return output.error();
  setup.output = *output;
  Result<run::Until> until = parse_until(options);
  if (!until) return until.error();
  Result<int64_t> timeout = options.timeout.empty() ? 0 : base::parse_duration(options.timeout);
  if (!timeout) return timeout.error();
  Result<int64_t> ask_timeout = parse_ask_timeout(options);
  if (!ask_timeout) return ask_timeout.error();
  Result<int64_t> idle_timeout =
      options.idle_timeout.empty() ? 0 : base::parse_duration(options.idle_timeout);
  if (!idle_timeout) return idle_timeout.error();
  Result<run::GatePlan> gates = gates_of(options);
  if (!gates) return gates.error();
  if (options.on_limit != "exit" && options.on_limit != "wait") {
    return usage_error("--on-limit " + options.on_limit + ": write wait or exit");
  }
  const std::optional<term::Size> terminal = ui::terminal_size();
  Result<term::Size> size =
      options.size.empty() ? terminal.value_or(term::Size{120, 40}) : parse_size(options.size);
  if (!size) return size.error();
  setup.follow_terminal_size = options.size.empty() && terminal.has_value();
  const Result<std::string> named = named_place(options.cwd);
  if (!named) return usage_error("folder " + named.error().text);
  Result<std::string> cwd = resolve_folder(*named);
  if (!cwd) return cwd.error();
  if (*cwd != *named) return usage_error("folder " + base::printable(*named) + " is a link by now");
  const std::string repository = repository_of(*cwd);
  distrust_folder(repository);
  Result<std::string> state_dir = state_dir_of(options.state_dir);  // knows where agents write
  if (!state_dir) return state_dir.error();
  Result<policy::Policy> parsed_policy = parse_policy(options.approve, repository);
  if (!parsed_policy) return parsed_policy.error();
  const auto policy = std::make_shared<const policy::Policy>(std::move(parsed_policy).value());
  if (Status s = choose_agent(options, repository, choice, setup.notes); !s) return s.error();
  Result<session::RecordPlan> record = record_plan_of(options);
  if (!record) return record.error();
  if (options.jobs < 0) return usage_error("--jobs must be at least 1");
  setup.jobs = static_cast<size_t>(options.jobs);
  setup.socket_folder = host::socket_folder({environment("XDG_RUNTIME_DIR"), *state_dir});
  Result<std::string> self = own_path();
  if (!self) return self.error();
  Result<session::Mode> mode = parse_mode(options, choice);
  if (!mode) return mode.error();
  Result<Budget> budget = parse_budget(options, *choice.manifest, *mode);
  if (!budget) return budget.error();
  Result<adapters::LaunchPlan> launch = launch_of(options, choice, *mode, *self);
  if (!launch) return launch.error();
  if (wants_container(options.sandbox)) {
    Result<ContainerPlan> container =
        container_of(options.sandbox, *choice.manifest, *cwd, repository, *state_dir, setup.notes);
    if (!container) return container.error();
    if (Status s = suit_container(*container, *choice.manifest, *launch); !s) return s.error();
    if (Status s = check_system_prompt(options, *choice.manifest); !s) return s.error();
    setup.container = std::move(container).value();
  } else if (Status s = check_privileges(options, choice, *launch); !s) {
    return s.error();
  }
  Result<std::optional<session::FenceWish>> fence =
      sandbox_of(options.sandbox,
                 {.approve = options.approve,
                  .command = known_words(options, choice, *launch),
                  .work_dir = *cwd,
                  .state_dir = *state_dir,
                  .socket_folder = setup.socket_folder,
                  .launcher = *self,
                  .needs_snapshot = options.require_changes,
                  .offer = offer},
                 choice.agents, setup.notes);
  if (!fence) return fence.error();
  const std::optional<manager::Wish> wish = manager::wish_named(options.session_manager);
  if (!wish) {
    return usage_error("--session-manager " + options.session_manager +
                       ": write native, tmux, zellij or auto");
  }
  if (setup.container && *wish != manager::Wish::kNative && *wish != manager::Wish::kAuto) {
    return usage_error("--session-manager " + options.session_manager +
                       " holds terminals of this machine: leave it out with --sandbox " +
                       options.sandbox.kind);
  }
  const manager::Choice choice_of_manager =
      setup.container ? manager::Choice{manager::Kind::kNative, "its agent is in a container", ""}
                      : manager::choose(*wish, circumstances(options.detach));
  if (!choice_of_manager.warning.empty()) setup.notes.push_back(choice_of_manager.warning);
  Result<manager::Tools> tools = tools_here(*state_dir);
  if (!tools) return tools.error();
  std::optional<int64_t> keep_errored_ms;
  if (options.detach) keep_errored_ms = record->keep_for_ms.value_or(client::kKeepErroredMs);
  const auto secrets = std::make_shared<const mask::Secrets>(secrets_of(options.env));
  for (const std::string& issue : options.issues) {
    Result<std::string> task = checked_task(options, choice, *until, repository, issue);
    if (!task) return task.error();
    setup.sessions.push_back(
        {.issue = issue,
         .manifest = choice.manifest,
         .rules = &*choice.rules,
         .speakers = choice.speakers,
         .launch = *launch,
         .cwd = *cwd,
         .repository = repository,
         .size = *size,
         .plan = {.until = *until,
                  .prompt = compose_prompt(options, *until, *task),
                  .keyword = options.keyword,
                  .max_turns = options.max_turns,
                  .timeout_ms = *timeout,
                  .idle_timeout_ms = *idle_timeout,
                  .on_limit =
                      options.on_limit == "wait" ? run::OnLimit::kWait : run::OnLimit::kExit,
                  .policy = policy,
                  .ask_timeout_ms = *ask_timeout,
                  .agent = choice.manifest->name,
                  .what_runs = choice.manifest->idle_known ? "the agent" : "the program",
                  .work_dir = *cwd,
                  .fenced = *fence && (*fence)->offer.any(),
                  .gates = *gates,
                  .require_changes = options.require_changes,
                  .max_tokens = budget->tokens,
                  .max_cost_usd = budget->cost_usd},
         .state_dir = *state_dir,
         .record = *record,
         .hook_program = options.no_hooks ? "" : *self,
         .own_path = *self,
         .fence = *fence,
         .worktree = {},  // once all is checked
         .request = request_of(options, choice.manifest->name, *until, *task),
         .parent = options.parent.empty() ? std::nullopt : std::optional(options.parent),
         .trust_agent = options.trust_agent || !options.command.empty(),
         .manager = {},
         .keep_errored_ms = keep_errored_ms});
    session::SessionSetup& session = setup.sessions.back();
    session.mode = *mode;
    session.secrets = secrets;
    if (*mode == session::Mode::kHeadless) {
      session.source = session::headless_source;
      session.driver = session::stream_driver;
    } else if (options.detach) {
      hold_by(choice_of_manager, *tools, session);
    }
  }
  if (setup.container) return setup;  // the program is the image's
  KnownVersion known =
      known_version(*choice.manifest, *launch, *cwd, writable_places(*fence, *cwd));
  setup.to_ask = std::move(known.to_ask);
  const std::string note = newer_note(*choice.manifest, known.version);
  if (!note.empty()) setup.notes.push_back(note);
  for (session::SessionSetup& session : setup.sessions) session.agent_version = known.version;
  return setup;
}

}  // namespace orch::cli
