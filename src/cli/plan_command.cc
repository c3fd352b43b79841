// orch plan: shows how an agent would be run, without running it.
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/exec_plan.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "mask/secrets.h"
#include "mask/text.h"
#include "session/environment.h"
#include "setup/agents.h"
#include "setup/paths.h"
#include "task/task_spec.h"

namespace orch::cli {
namespace {

using adapters::ExecPlace;
using adapters::ExecPlan;
using adapters::Role;
using base::Result;
using base::Status;
using base::usage_error;

constexpr const char* kInContainer = "/workspace/project";
constexpr std::string_view kReference = "env:";
constexpr size_t kMostPromptBytes = 8 << 20;
constexpr size_t kShownInput = 200;  // the most bytes shown to a human

struct PlanOptions {
  std::string file, kind, role = "worker", model, effort, cli_path, workdir, sandbox;
  std::vector<std::string> flags, env, tool_specific;
  std::optional<std::string> prompt;
  bool as_argument = false, json = false;
};

std::map<std::string, std::string> own_variables() {
  std::map<std::string, std::string> variables;
  for (const std::string& entry : session::own_environment()) {
    const size_t sign = entry.find('=');
    if (sign != std::string::npos) variables.emplace(entry.substr(0, sign), entry.substr(sign + 1));
  }
  return variables;
}

Status read_variables(const std::vector<std::string>& given,
                      std::map<std::string, std::string>& env) {
  for (const std::string& word : given) {
    const size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0) {
      return usage_error("--env " + base::printable(word) +
                         ": write NAME=VALUE, or NAME=env:VARIABLE");
    }
    env.insert_or_assign(word.substr(0, sign), word.substr(sign + 1));
  }
  return base::Ok{};
}

Status read_tool_specific(const std::vector<std::string>& given, base::Json& json) {
  for (const std::string& word : given) {
    const size_t sign = word.find('=');
    const std::string value = sign == std::string::npos ? "" : word.substr(sign + 1);
    if (value != "true" && value != "false") {
      return usage_error("--tool " + base::printable(word) +
                         ": write docker_mode=true, json_output=false, ...");
    }
    json[word.substr(0, sign)] = value == "true";
  }
  return base::Ok{};
}

bool is_container(const std::string& sandbox) { return sandbox == "docker" || sandbox == "podman"; }

Result<ExecPlace> exec_place_of(const PlanOptions& options, const std::string& here) {
  const std::optional<Role> role = adapters::role_named(options.role);
  if (!role) {
    return usage_error("--role " + base::printable(options.role) + ": write worker, fast or meta");
  }
  const bool container = is_container(options.sandbox) && *role != Role::kMeta;
  if (!is_container(options.sandbox) && !options.sandbox.empty() && options.sandbox != "none" &&
      options.sandbox != "landlock") {
    return usage_error("--sandbox " + base::printable(options.sandbox) +
                       ": write docker, podman, landlock or none");
  }
  return ExecPlace{.role = *role,
                   .kind = container ? ExecPlace::Kind::kContainer : ExecPlace::Kind::kHost,
                   .workdir = container ? kInContainer : here,
                   .variables = own_variables()};
}

// Reads the configuration from a task file. Its sandbox and its repository apply unless options
// name others.
Result<adapters::ProviderConfig> config_of_file(PlanOptions& options) {
  if (!options.kind.empty()) {
    return usage_error(
        "a task file names its agent: leave out --agent; or give a prompt in place of the "
        "file: -p \"fix the bug\"");
  }
  const Result<std::string> text = setup::read_text(options.file, task::kMaxSpecBytes);
  if (!text) return text.error();
  Result<task::TaskSpec> spec = task::parse_task_spec(*text, options.file);
  if (!spec) return spec.error();
  if (options.sandbox.empty()) options.sandbox = task::name(spec->sandbox.kind);
  if (options.workdir.empty() && !is_container(options.sandbox)) options.workdir = spec->repo;
  if (options.role != "meta") return std::move(spec->worker.provider);
  const std::string& kind = spec->meta.provider.kind;
  if (kind.empty() || kind == "openai-chat" || kind == "scripted") {
    return usage_error("the meta-agent of " + base::printable(options.file) + " is " +
                       (kind.empty() ? "openai-chat" : kind) + ", for which no program is run");
  }
  return std::move(spec->meta.provider);
}

// The configuration to plan for. Without a task file it comes from the options. With one, the
// options only override the values that a call of the agent may set.
Result<adapters::ProviderConfig> config_of(PlanOptions& options, adapters::WorkerCall& call) {
  std::map<std::string, std::string> env;
  if (Status s = read_variables(options.env, env); !s) return s.error();
  if (!options.file.empty()) {
    if (!options.model.empty()) call.model = options.model;
    if (!options.effort.empty()) call.reasoning_effort = options.effort;
    if (!options.cli_path.empty()) call.cli_path = options.cli_path;
    call.flags = options.flags;
    call.env = std::move(env);
    return config_of_file(options);
  }
  if (options.kind.empty()) {
    return usage_error("for whom? name a task file, or an agent with --agent");
  }
  adapters::ProviderConfig config;
  config.kind = options.kind;
  config.cli_path = options.cli_path;
  config.model = options.model;
  config.effort = options.effort;
  config.flags = options.flags;
  config.extra_env = std::move(env);
  return config;
}

Status read_prompt(const PlanOptions& options, adapters::WorkerCall& call) {
  call.use_stdin = !options.as_argument;
  if (Status s = read_tool_specific(options.tool_specific, call.tool_specific); !s) return s;
  if (!options.prompt) return base::Ok{};
  call.prompt = *options.prompt;
  if (*options.prompt != "-") return base::Ok{};
  Result<std::string> text = setup::read_text("-", kMostPromptBytes);
  if (!text) return text.error();
  call.prompt = std::move(text).value();
  return base::Ok{};
}

// The environment in a form that may be shown: NAME=env:VARIABLE as written, without secret values.
std::map<std::string, std::string> told_env(const ExecPlan& plan,
                                            const adapters::ProviderConfig& config,
                                            const adapters::WorkerCall& call) {
  std::map<std::string, std::string> written = config.extra_env;
  for (const auto& [name, value] : call.env) written.insert_or_assign(name, value);
  const auto shapes = std::make_shared<const mask::Secrets>();
  std::map<std::string, std::string> told;
  for (const auto& [name, value] : plan.env) {
    const auto given = written.find(name);
    if (given != written.end() && given->second.starts_with(kReference)) {
      told[name] = given->second;
      continue;
    }
    const bool is_secret = mask::is_secret({name, value, mask::Variable::From::kEnvironment}) ||
                           !mask::find(shapes, value).empty();
    told[name] = is_secret ? "…" : value;
  }
  return told;
}

void print_json(const ExecPlan& plan) {
  base::Json json;
  json["command"] = plan.command;
  json["args"] = plan.args;
  json["env"] = plan.env;
  json["workdir"] = plan.workdir;
  json["stdin"] = plan.input;
  std::fputs(base::json_text(json).c_str(), stdout);
}

void print_fields(const ExecPlan& plan) {
  std::printf("command  %s\n", base::printable(plan.command).c_str());
  for (const std::string& word : plan.args) {
    std::printf("arg      %s\n", base::printable(word).c_str());
  }
  for (const auto& [name, value] : plan.env) {
    std::printf("env      %s=%s\n", base::printable(name).c_str(), base::printable(value).c_str());
  }
  std::printf("workdir  %s\n", base::printable(plan.workdir).c_str());
  const std::string_view shown = base::beginning(plan.input, kShownInput);
  std::printf("stdin    %zu bytes%s%s%s\n", plan.input.size(), plan.input.empty() ? "" : ": ",
              base::printable(shown).c_str(), plan.input.size() > shown.size() ? "…" : "");
}

Result<ExecPlan> plan_of(PlanOptions& options) {
  adapters::WorkerCall call;
  const Result<adapters::ProviderConfig> config = config_of(options, call);
  if (!config) return config.error();
  const bool in_container = is_container(options.sandbox) && options.role != "meta";
  if (in_container && !options.workdir.empty()) call.workdir = options.workdir;
  const Result<std::string> here =
      setup::resolve_folder(in_container || options.workdir.empty() ? "." : options.workdir);
  if (!here) return here.error();
  const Result<adapters::Registry> agents = setup::load_agents(setup::repository_of(*here));
  if (!agents) return agents.error();
  const Result<ExecPlace> place = exec_place_of(options, *here);
  if (!place) return place.error();
  if (Status s = read_prompt(options, call); !s) return s.error();
  Result<ExecPlan> plan = adapters::plan_exec(*agents, *config, call, *place);
  if (!plan) return plan;
  plan->env = told_env(*plan, *config, call);
  if (plan->command != setup::kSelf) return plan;
  Result<std::string> self = setup::own_path();
  if (!self) return self.error();
  plan->command = std::move(*self);
  return plan;
}

int show_plan(PlanOptions options) {
  const Result<ExecPlan> plan = plan_of(options);
  if (!plan) return report(plan.error());
  options.json ? print_json(*plan) : print_fields(*plan);
  return 0;
}

}  // namespace

void add_plan_command(CLI::App& app, Chosen& chosen) {
  CommandWith<PlanOptions> command(
      app, chosen, "plan", "how an agent would be run without a terminal, without running it",
      show_plan);
  command.option("file", command->file,
                 "a task file: its worker, or with --role meta its meta-agent; - is standard "
                 "input. The options then apply to one call");
  command.option("--agent,--kind", command->kind, "which agent: codex, claude, gemini, ...");
  command.option("--role", command->role, "worker, fast (a worker's quicker model) or meta")
      .show_default();
  command.option("--model", command->model, "its model (default: by its role)");
  command.option("--effort", command->effort, "its reasoning effort");
  command
      .option("--flag", command->flags,
              "a further word for its command line, as --flag=--verbose; several times")
      .one_word();
  command
      .option("--env", command->env,
              "NAME=VALUE, or NAME=env:VARIABLE for a variable that orch has; several times")
      .one_word();
  command
      .option("--tool", command->tool_specific,
              "docker_mode=BOOL: its own sandbox is off (default: in a container); "
              "json_output=BOOL: JSON lines (default: but for meta)")
      .one_word();
  command.option("--cli-path", command->cli_path, "its program");
  command.option("--workdir", command->workdir,
                 "where it works (default: here; in a container /workspace/project)");
  command.option("--sandbox", command->sandbox,
                 "docker, podman, landlock or none (default: the task file's, else none)");
  command.option("-p,--prompt", command->prompt, "the prompt; - is standard input");
  command.flag("--prompt-argument", command->as_argument,
               "the prompt on its command line, up to 100 KB, not on its standard input");
  command.flag("--json", command->json, "as JSON: command, args, env, workdir, stdin");
  command.footer(
      "It starts no process and uses no shell. Secret values are shown as …, env:VARIABLE as "
      "written. If several set a variable, the last one counts: its place, the agent's manifest, "
      "--env. Options that the agent lacks are refused by name.\n\n"
      "Examples:\n  orch plan task.yaml\n  orch plan --agent codex -p \"fix the flaky test\"\n"
      "  orch plan --agent claude --sandbox docker --env ANTHROPIC_API_KEY=env:MY_KEY --json\n"
      "  orch plan --agent codex-cli --role meta --model gpt-5.2 -p - < question.yaml\n"
      "  orch plan --agent codex --json -p hi | jq -r '[.command] + .args | @sh'");
}

}  // namespace orch::cli
