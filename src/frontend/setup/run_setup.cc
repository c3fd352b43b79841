#include "setup/run_setup.h"

#include <filesystem>
#include <set>

#include "adapters/capabilities.h"
#include "base/duration.h"
#include "base/json_schema.h"
#include "base/name.h"
#include "base/text.h"
#include "base/words.h"
#include "client/kept_sessions.h"
#include "options/first_words.h"
#include "options/run_option.h"
#include "options/terminal_size.h"
#include "peer/session_socket.h"
#include "run/completion.h"
#include "setup/agent_launch.h"
#include "setup/agents.h"
#include "setup/gateway_options.h"
#include "setup/managers.h"
#include "setup/own_programs.h"
#include "setup/paths.h"
#include "setup/policy_file.h"
#include "setup/recorded_request.h"
#include "setup/repository.h"
#include "setup/run_budget.h"
#include "setup/run_secrets.h"
#include "setup/versions.h"
#include "store/folder.h"
#include "store/issue_name.h"
#include "ui/user_terminal.h"

namespace orch::setup {
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

// "exited" is the word of orch wait.
constexpr base::Words<run::Until, 4> kUntil{{{run::Until::kComplete, "complete"},
                                             {run::Until::kIdle, "idle"},
                                             {run::Until::kExit, "exit"},
                                             {run::Until::kExit, "exited"}}};
constexpr base::Words<ui::OutputMode, 4> kOutput{{{ui::OutputMode::kText, "text"},
                                                  {ui::OutputMode::kJson, "json"},
                                                  {ui::OutputMode::kQuiet, "quiet"},
                                                  {ui::OutputMode::kRaw, "raw"}}};

constexpr const char* kGeneric = "generic";  // the manifest for agents without one

bool has_prompt(const options::RunRequest& request) {
  return !request.prompt.value_or("").empty() || !request.prompt_file.empty();
}

run::Until until_of(const options::RunRequest& request) {
  const bool ends_by_itself = !request.command.empty() && !has_prompt(request);
  const auto by_default = ends_by_itself ? run::Until::kExit : run::Until::kComplete;
  return base::value_of(kUntil, request.until).value_or(by_default);
}

// The duration, which has been checked, in milliseconds; 0 if none was given.
int64_t milliseconds(const std::string& duration) {
  return duration.empty() ? 0 : base::parse_duration(duration).value();
}

// Nothing decides a dialog whose rows were guessed but a user.
Status check_guessed(const options::RunRequest& request, const adapters::Manifest& manifest,
                     std::vector<std::string>& notes) {
  if (!manifest.guessed) return base::Ok{};
  if (request.approve != "none") {
    return usage_error("agent " + manifest.name + ": --approve " +
                       base::printable(request.approve) +
                       " would decide dialogs of a program that no manifest describes; answer them "
                       "yourself (orch answer), or write a manifest");
  }
  if (request.mode == "acp") return base::Ok{};  // it tells its statuses
  notes.push_back("agent " + manifest.name +
                  ": no manifest describes this program, so its statuses are guessed");
  return base::Ok{};
}

void note_missing(const adapters::Manifest& manifest, std::vector<std::string>& notes) {
  if (is_installed(manifest)) return;
  const std::string& how = manifest.install;
  notes.push_back("agent " + manifest.name + " is not installed: no " + manifest.program.front() +
                  " is on the PATH" + (how.empty() ? "" : "; install it: " + how));
}

Status check_fallback(const options::RunRequest& request, const adapters::Registry& agents,
                      std::vector<std::string>& notes) {
  if (Status s = check_agents(agents, request.fallback); !s) {
    return usage_error("--fallback: " + s.error().text);
  }
  if (wants_container(request)) return base::Ok{};
  for (const std::string& word : request.fallback) {
    note_missing(*agents.find(word.substr(0, word.find(':'))), notes);
  }
  return base::Ok{};
}

Status choose_agent(const options::RunRequest& request, const std::string& repository,
                    AgentChoice& choice, std::vector<std::string>& notes) {
  Result<adapters::Registry> agents = load_agents(repository);
  if (!agents) return agents.error();
  choice.agents = std::move(agents).value();
  std::string name = request.agent;
  if (name.empty() && !request.agent_program.empty()) {
    return usage_error("--agent-program " + base::printable(request.agent_program) +
                       ": say which agent that is, with --agent NAME");
  }
  if (name.empty() && request.command.empty() && wants_container(request)) {
    return usage_error("--sandbox " + request.sandbox +
                       ": which agent is in the image? name it with --agent");
  }
  // A program that gets a message is an agent; any other runs until it exits.
  const bool talks = request.mode != "headless" && has_prompt(request);
  if (name.empty() && !request.command.empty()) name = talks ? kGeneric : "command";
  if (name.empty() && request.issues == std::vector<std::string>{kDemoIssue}) name = "demo";
  Result<const adapters::Manifest*> manifest =
      name.empty() ? default_agent(choice.agents) : find_agent(choice.agents, name);
  if (!manifest) {
    const bool prompted = request.prompt || !request.prompt_file.empty();
    const std::string hint = prompted ? "" : options::quote_hint(request.issues);
    return base::Error{manifest.error().code, manifest.error().text + hint};
  }
  choice.manifest = *manifest;
  if (!wants_container(request) && request.agent_program.empty()) {
    note_missing(*choice.manifest, notes);
  }
  if (Status s = check_fallback(request, choice.agents, notes); !s) return s.error();
  if (name.empty()) {
    notes.push_back("agent " + choice.manifest->name + " (the first installed; see --agent)");
  }
  if (request.agent.empty() && name == "demo") {
    notes.push_back("issue demo runs the built-in demo agent; --agent names another");
  }
  if (!request.agent_program.empty() && choice.manifest->program.empty()) {
    return usage_error("--agent-program: agent " + choice.manifest->name +
                       " has no program of its own");
  }
  if (!request.command.empty() && !choice.manifest->program.empty()) {
    return usage_error("agent " + choice.manifest->name +
                       ": a command after -- goes with --agent command or generic only");
  }
  if (Status s = check_guessed(request, *choice.manifest, notes); !s) return s.error();
  Result<detect::RuleSet> rules =
      detect::RuleSet::compile(choice.manifest->rules, base::Compiled::kWhenSearched);
  if (!rules) return rules.error();
  choice.rules.emplace(std::move(rules).value());
  choice.speakers = driver::Speakers::of(*choice.manifest);
  return base::Ok{};
}

}  // namespace

Result<std::string> read_prompt(const options::RunRequest& request) {
  std::optional<int64_t> most_ms;
  if (const auto limit = base::parse_duration(request.timeout)) most_ms = *limit;
  return read_text(request.prompt_file, kMaxTextBytes, most_ms);
}

namespace {

// The user's task: from -p, --prompt-file, or the issue's own file.
Result<std::string> task_text(const options::RunRequest& request, const AgentChoice& choice,
                              run::Until until, const std::string& repository,
                              const std::string& issue) {
  if (request.prompt) return *request.prompt;
  if (!request.prompt_file.empty()) return read_prompt(request);
  const std::string path = issue_file(issue);
  Result<std::string> text = read_brought(repository, path);
  if (text || text.error().code != base::ErrorCode::kNotFound) return text;
  if (const auto found = request.issue_texts.find(issue); found != request.issue_texts.end()) {
    return found->second;
  }
  if (until == run::Until::kExit) return std::string();
  if (choice.manifest->name == "demo") return std::string(kDemoPrompt);
  return usage_error("issue " + issue +
                     " has no prompt: give one with -p or --prompt-file, or write " + repository +
                     "/" + path + options::quote_hint(request.issues));
}

// The task, checked; "" if the agent gets none.
Result<std::string> checked_task(const options::RunRequest& request, const AgentChoice& choice,
                                 run::Until until, const std::string& repository,
                                 const std::string& issue) {
  if (!choice.manifest->idle_known) {
    if (!request.prompt.value_or("").empty() || !request.prompt_file.empty()) {
      return usage_error("agent " + choice.manifest->name +
                         " takes no prompt: when it is ready for one is not known");
    }
    if (until != run::Until::kExit) {
      return usage_error("agent " + choice.manifest->name + " can only be run --until exit");
    }
    return std::string();
  }
  Result<std::string> task = task_text(request, choice, until, repository, issue);
  if (!task) return task;
  // Messages come later, by orch send.
  if (task->empty() && until == run::Until::kExit) return task;
  if (const auto bad = base::invalid_utf8_at(*task)) {
    return usage_error("the prompt is not valid UTF-8 at byte " + std::to_string(*bad));
  }
  if (base::trim(*task).empty()) return usage_error("the prompt of issue " + issue + " is empty");
  return task;
}

// The first prompt: the task, and how to report that it is complete.
std::string compose_prompt(const options::RunRequest& request, run::Until until,
                           const std::string& task, const base::JsonSchema* schema) {
  const auto add = [](const std::string& text, const std::string& more) {
    return text + (text.ends_with('\n') ? "\n" : "\n\n") + more;
  };
  std::string prompt = task;
  if (schema != nullptr) prompt = add(prompt, run::output_instruction(*schema));
  if (until != run::Until::kComplete) return prompt;
  return add(prompt, run::completion_instruction(request.keyword));
}

Result<session::Mode> parse_mode(const options::RunRequest& request, const AgentChoice& choice) {
  if (request.mode == "interactive") return session::Mode::kInteractive;
  const adapters::Manifest& agent = *choice.manifest;
  if (request.session_manager != "native" && request.session_manager != "auto") {
    return usage_error("--session-manager " + request.session_manager +
                       " holds terminals: there is none with --mode " + request.mode);
  }
  if (request.mode == "acp") {
    if (agent.acp.any() || agent.guessed) return session::Mode::kHeadless;
    return usage_error("agent " + agent.name +
                       ": its manifest does not say how it speaks the Agent Client Protocol: "
                       "write --mode interactive or headless");
  }
  if (Status s = adapters::require(agent, adapters::Capability::kNonInteractive,
                                   ": write --mode interactive");
      !s) {
    return s.error();
  }
  const bool by_rules = request.approve != "none" && request.approve != "all";
  if (by_rules && !agent.headless.asks_us() && !checks_calls(request, agent)) {
    return usage_error("agent " + agent.name +
                       " has no dialogs in headless mode, so it cannot follow --approve " +
                       request.approve +
                       " (supports_permission_requests is false): write none or all, or "
                       "--mode interactive");
  }
  return session::Mode::kHeadless;
}

// The places where a fenced agent may leave programs.
std::vector<std::string> writable_places(const std::optional<session::FenceRequest>& fence,
                                         const std::string& cwd) {
  if (!fence || !fence->offer.any()) return {};
  std::vector<std::string> places = fence->write;
  places.push_back(cwd);
  return places;
}

session::RecordPlan record_plan_of(const options::RunRequest& request) {
  session::RecordPlan plan;
  plan.keep = request.record;
  if (!request.record_limit.empty()) {
    plan.limit_bytes = options::parse_bytes(request.record_limit).value();
  }
  if (!request.keep.empty()) plan.keep_for_ms = milliseconds(request.keep);
  return plan;
}

// In the background nobody is at a terminal, and other commands answer dialogs, so dialogs may
// wait.
int64_t ask_timeout_of(const options::RunRequest& request) {
  if (request.ask_timeout.empty()) return request.detach ? run::kNever : 0;
  if (request.ask_timeout == "never") return run::kNever;
  return request.ask_timeout == "0" ? 0 : milliseconds(request.ask_timeout);
}

Result<run::GatePlan> gates_of(const options::RunRequest& request) {
  run::GatePlan plan;
  plan.commands = request.verify;
  plan.fix_turns = request.fix_turns;
  for (const std::string& command : request.verify) {
    if (base::trim(command).empty()) return usage_error("--verify: the command is empty");
    if (const auto bad = base::invalid_utf8_at(command)) {
      return usage_error("--verify: the command is not valid UTF-8 at byte " +
                         std::to_string(*bad));
    }
  }
  const bool is_checked = !request.verify.empty() || !request.output_schema.empty();
  if (!is_checked && request.fix_turns > 0) {
    return usage_error(
        "--fix-turns goes with --verify COMMAND, the command that has to succeed, or with "
        "--output-schema");
  }
  if (request.verify.empty() && !request.verify_timeout.empty()) {
    return usage_error(
        "--verify-timeout goes with --verify COMMAND, the command that has to succeed");
  }
  if (request.require_changes && !request.snapshot) {
    return usage_error(
        "--require-changes compares the work directory with its snapshot: leave out "
        "--no-snapshot");
  }
  if (!request.verify_timeout.empty()) plan.timeout_ms = milliseconds(request.verify_timeout);
  return plan;
}

// The schema of --output-schema; null without one.
Result<std::shared_ptr<const base::JsonSchema>> schema_of(const options::RunRequest& request,
                                                          run::Until until) {
  if (request.output_schema.empty()) return std::shared_ptr<const base::JsonSchema>();
  if (until == run::Until::kExit) {
    return usage_error("--output-schema is for an agent's last words; leave out --until exit");
  }
  const Result<std::string> text = read_text(request.output_schema);
  if (!text) return text.error();
  Result<base::JsonSchema> schema = base::JsonSchema::parse(*text);
  if (!schema) return usage_error("--output-schema: " + schema.error().text);
  return std::make_shared<const base::JsonSchema>(std::move(schema).value());
}

// The servers of --mcp-config.
Result<std::vector<adapters::McpServer>> mcp_servers_of(const options::RunRequest& request,
                                                        const adapters::Manifest& agent) {
  if (request.mcp_config.empty()) return std::vector<adapters::McpServer>();
  if (!agent.mcp.any()) {
    return usage_error("--mcp-config: agent " + agent.name +
                       " takes no MCP servers for one run: add them to its own settings");
  }
  const Result<std::string> text = read_text(request.mcp_config);
  if (!text) return text.error();
  return adapters::read_mcp_servers("--mcp-config " + base::printable(request.mcp_config), *text);
}

Status check_gate_lock(const options::RunRequest& request) {
  if (request.gate_lock.empty()) return base::Ok{};
  if (!base::is_name(request.gate_lock)) {
    return usage_error("--gate-lock " + base::printable(request.gate_lock) +
                       ": write a name of letters and digits");
  }
  if (request.verify.empty()) return usage_error("--gate-lock goes with --verify COMMAND");
  return base::Ok{};
}

// The container does not have the files of this machine.
Status check_system_prompt(const options::RunRequest& request, const adapters::Manifest& agent) {
  const auto words = agent.options.find("system_prompt");
  if (request.system_prompt_file.empty() || words == agent.options.end()) return base::Ok{};
  const auto names_file = [](const std::string& word) { return word.find("{file}") != word.npos; };
  if (std::none_of(words->second.begin(), words->second.end(), names_file)) return base::Ok{};
  return usage_error("--system-prompt: agent " + agent.name +
                     " reads it from a file, which is not in its container; say it in the prompt");
}

// Reads `--agent ./PROGRAM` as `--agent generic -- PROGRAM`.
options::RunRequest with_program_as_command(options::RunRequest request) {
  if (request.agent.find('/') == std::string::npos) return request;
  std::error_code failure;
  const std::string absolute =
      std::filesystem::absolute(request.agent, failure).lexically_normal().string();
  const bool here = !wants_container(request) && !failure;
  request.command.insert(request.command.begin(), here ? absolute : request.agent);
  request.agent = kGeneric;
  return request;
}

std::optional<std::string> parent_of(const options::RunRequest& request, const std::string& issue) {
  if (const auto found = request.parents.find(issue); found != request.parents.end()) {
    return found->second;
  }
  return request.parent.empty() ? std::nullopt : std::optional(request.parent);
}

}  // namespace

Result<RunSetup> prepare_run(const options::RunRequest& given, AgentChoice& choice,
                             const fence::Offer* offer) {
  const options::RunRequest request = with_program_as_command(given);
  RunSetup setup;
  if (Status s = check_issues(request.issues); !s) return s.error();
  if (Status s = options::check_values(request); !s) return s.error();
  if (Status s = run::check_keyword(request.keyword); !s) return s.error();
  setup.output = base::value_of(kOutput, request.output).value_or(setup.output);
  if (setup.output == ui::OutputMode::kRaw && request.issues.size() > 1) {
    return usage_error("--output raw mixes the screens of several issues; use text or json");
  }
  const run::Until until = until_of(request);
  Result<run::GatePlan> gates = gates_of(request);
  if (!gates) return gates.error();
  if (Status s = check_gate_lock(request); !s) return s.error();
  const auto schema = schema_of(request, until);
  if (!schema) return schema.error();
  const std::optional<term::Size> terminal = ui::terminal_size();
  term::Size size = terminal.value_or(term::Size{120, 40});
  if (!request.size.empty()) {
    using options::TerminalSize;
    static_assert(TerminalSize::kMaxCols == term::kMaxCols &&
                  TerminalSize::kMaxRows == term::kMaxRows);
    const TerminalSize wanted = options::parse_terminal_size(request.size).value();
    size = {wanted.cols, wanted.rows};
  }
  setup.follow_terminal_size = request.size.empty() && terminal.has_value();
  const Result<std::string> named = named_place(request.cwd);
  if (!named) return usage_error("folder " + named.error().text);
  Result<std::string> cwd = resolve_folder(*named);
  if (!cwd) return cwd.error();
  if (*cwd != *named) return usage_error("folder " + base::printable(*named) + " is a link by now");
  const std::string repository = repository_of(*cwd);
  distrust_folder(repository);
  // Also remembers where agents write.
  Result<std::string> state_dir = state_dir_of(request.state_dir);
  if (!state_dir) return state_dir.error();
  Result<policy::Policy> parsed_policy = read_policy(request.approve, repository);
  if (!parsed_policy) return parsed_policy.error();
  const auto policy = std::make_shared<const policy::Policy>(std::move(parsed_policy).value());
  if (Status s = choose_agent(request, repository, choice, setup.notes); !s) return s.error();
  const auto mcp_servers = mcp_servers_of(request, *choice.manifest);
  if (!mcp_servers) return mcp_servers.error();
  if (Status s = check_folders(request); !s) return s.error();
  const RepositoryState state = repository_state(repository);
  setup.folders = folders_of(request, *choice.manifest, state);
  if (state == RepositoryState::kNoCommit && would_share(request, *choice.manifest)) {
    setup.notes.push_back(no_commit_line(repository, request.issues.size()));
  }
  if (setup.folders == Folders::kShared && request.parent.empty()) {
    for (const std::string& issue : request.issues) {
      std::string line = other_folder_line(repository, issue);
      if (!line.empty()) setup.notes.push_back(std::move(line));
    }
  }
  // A retry of one of the issues continues in that issue's worktree.
  options::RunRequest recorded = request;
  recorded.worktree = setup.folders == Folders::kWorktrees;
  const session::RecordPlan record = record_plan_of(request);
  setup.jobs = static_cast<size_t>(request.jobs.value_or(0));
  setup.socket_folder = peer::socket_folder({environment("XDG_RUNTIME_DIR"), *state_dir});
  Result<std::string> self = own_path();
  if (!self) return self.error();
  Result<session::Mode> mode = parse_mode(request, choice);
  if (!mode) return mode.error();
  Result<Budget> budget = parse_budget(request, *choice.manifest, *mode);
  if (!budget) return budget.error();
  if (!request.hooks && checks_calls(request, *choice.manifest)) {
    const std::string wants = request.check_calls
                                  ? "--check-calls asks about"
                                  : "--approve " + base::printable(request.approve) + " decides";
    return usage_error("--no-hooks leaves out the hook that reports each call that " + wants +
                       ": leave out one of them");
  }
  if (Status s = check_calls_are_told(request, *choice.manifest); !s) return s.error();
  for (std::string note :
       {unread_note(request, *choice.manifest), project_note(request, *choice.manifest, *cwd)}) {
    if (!note.empty()) setup.notes.push_back(std::move(note));
  }
  Result<adapters::LaunchPlan> launch = launch_of(request, choice, *mode, *self);
  if (!launch) return launch.error();
  if (wants_container(request)) {
    Result<ContainerPlan> container =
        container_of(request, *choice.manifest, *cwd, repository, *state_dir, setup.notes);
    if (!container) return container.error();
    if (Status s = suit_container(*container, *choice.manifest, *launch); !s) return s.error();
    if (Status s = check_system_prompt(request, *choice.manifest); !s) return s.error();
    setup.container = std::move(container).value();
  } else if (Status s = check_privileges(request, choice, *launch); !s) {
    return s.error();
  }
  Result<std::optional<session::FenceRequest>> fence =
      sandbox_of(request,
                 {.approve = request.approve,
                  .command = known_words(request, choice, *launch),
                  .work_dir = *cwd,
                  .state_dir = *state_dir,
                  .socket_folder = setup.socket_folder,
                  .launcher = *self,
                  .needs_snapshot = request.require_changes,
                  .may_write = request.command.empty() && choice.manifest->writes_files,
                  .offer = offer},
                 choice.agents, setup.notes);
  if (!fence) return fence.error();
  const bool is_fenced = *fence && (*fence)->offer.any();
  Result<std::optional<gateway::Plan>> gateway =
      gateway_of(request, *choice.manifest, *launch, *fence, setup.notes);
  if (!gateway) return gateway.error();
  if (*gateway) {
    (*gateway)->limits = {budget->tokens, budget->uncached, budget->cost_usd};
  }
  const mux::ManagerOption wanted =
      mux::option_named(request.session_manager).value_or(mux::ManagerOption::kNative);
  if (setup.container && wanted != mux::ManagerOption::kNative &&
      wanted != mux::ManagerOption::kAuto) {
    return usage_error("--session-manager " + request.session_manager +
                       " holds terminals of this machine: leave it out with --sandbox " +
                       request.sandbox);
  }
  const mux::Choice choice_of_manager =
      setup.container ? mux::Choice{mux::ManagerKind::kNative, "its agent is in a container", ""}
                      : mux::choose(wanted, circumstances(request.detach));
  if (!choice_of_manager.warning.empty()) setup.notes.push_back(choice_of_manager.warning);
  Result<mux::Tools> tools = tools_here();
  if (!tools) return tools.error();
  std::optional<int64_t> keep_errored_ms;
  if (request.detach) keep_errored_ms = record.keep_for_ms.value_or(client::kKeepErroredMs);
  const auto secrets = std::make_shared<const mask::Secrets>(secrets_of(request.env));
  std::string lock_file;
  if (!request.gate_lock.empty()) {
    const std::string folder = *state_dir + "/gate-locks";
    if (Status s = store::create_folders(folder); !s) return s.error();
    lock_file = folder + "/" + request.gate_lock;
  }
  for (const std::string& issue : request.issues) {
    Result<std::string> task = checked_task(request, choice, until, repository, issue);
    if (!task) return task.error();
    setup.sessions.push_back(
        {.issue = issue,
         .manifest = choice.manifest,
         .rules = &*choice.rules,
         .speakers = choice.speakers,
         .launch = *launch,
         .cwd = *cwd,
         .repository = repository,
         .size = size,
         .plan = {.until = until,
                  .prompt = compose_prompt(request, until, *task, schema->get()),
                  .keyword = request.keyword,
                  .max_turns = request.max_turns,
                  .timeout_ms = milliseconds(request.timeout),
                  .idle_timeout_ms = milliseconds(request.idle_timeout),
                  .on_limit =
                      request.on_limit == "wait" ? run::OnLimit::kWait : run::OnLimit::kExit,
                  .policy = policy,
                  .ask_timeout_ms = ask_timeout_of(request),
                  .agent = choice.manifest->name,
                  .what_runs = choice.manifest->idle_known ? "the agent" : "the program",
                  .work_dir = *cwd,
                  .held = held_by(is_fenced, request.sandbox),
                  .check_calls = checks_calls(request, *choice.manifest),
                  .calls_unread = request.calls_unread == "dialogs" ? run::CallsUnread::kDialogs
                                                                    : run::CallsUnread::kEnd,
                  .gates = *gates,
                  .output_schema = *schema,
                  .require_changes = request.require_changes,
                  .max_tokens = budget->tokens,
                  .max_uncached_tokens = budget->uncached,
                  .max_cost_usd = budget->cost_usd},
         .gate_lock = lock_file,
         .state_dir = *state_dir,
         .record = record,
         .hook_program = request.hooks ? *self : "",
         .own_path = *self,
         .fence = *fence,
         .worktree = {},  // set when everything is checked
         .request = recorded_request(recorded, choice.manifest->name,
                                     std::string(base::word_of(kUntil, until)), *task),
         .parent = parent_of(request, issue),
         .trust_agent = request.trust_agent || (!request.command.empty() && !is_fenced),
         .manager = {},
         .keep_errored_ms = keep_errored_ms});
    session::SessionSetup& session = setup.sessions.back();
    session.mode = *mode;
    session.mcp_servers = *mcp_servers;
    session.secrets = secrets;
    if (*gateway) lead_through(**gateway, request, session);
    if (*mode == session::Mode::kHeadless) {
      session.source = session::headless_source;
      session.driver = request.mode == "acp" ? session::acp_driver : session::stream_driver;
    } else if (request.detach) {
      hold_by(choice_of_manager, *tools, session);
    }
  }
  if (setup.container) return setup;  // the program is in the image
  KnownVersion known =
      known_version(*choice.manifest, *launch, *cwd, writable_places(*fence, *cwd));
  setup.to_ask = std::move(known.to_ask);
  setup.version_note = newer_note(*choice.manifest, known.version);
  for (session::SessionSetup& session : setup.sessions) session.agent_version = known.version;
  return setup;
}

}  // namespace orch::setup
