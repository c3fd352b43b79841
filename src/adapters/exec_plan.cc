#include "adapters/exec_plan.h"

#include <algorithm>
#include <utility>

#include "adapters/capabilities.h"
#include "adapters/launch.h"
#include "adapters/message.h"
#include "base/path.h"
#include "base/text.h"
#include "base/words.h"

namespace orch::adapters {
namespace {

using base::Result;
using base::Status;
using base::usage_error;
using Words = std::vector<std::string>;

constexpr std::string_view kReference = "env:";
constexpr std::string_view kPromptHole = "{prompt}";
// Values shorter than this, in bytes, are not searched for on the command line: they appear in many
// words by chance.
constexpr size_t kLeastTold = 6;
constexpr base::Words<Role, 3> kRoles{
    {{Role::kWorker, "worker"}, {Role::kFast, "fast"}, {Role::kMeta, "meta"}}};

std::string in_quotes(std::string_view text) { return "\"" + base::printable(text) + "\""; }

struct ToolSpecific {
  bool docker_mode = false;
  bool json_output = true;
};

Status read_tool_specific(const base::Json& json, ToolSpecific& out) {
  if (!json.is_object()) return usage_error("tool_specific must be a map");
  for (const auto& [key, value] : json.items()) {
    const bool docker = key == "docker_mode";
    if (!docker && key != "json_output") {
      return usage_error("tool_specific." + base::printable(key) +
                         " is not known; known are docker_mode, json_output");
    }
    if (!value.is_boolean()) return usage_error("tool_specific." + key + " must be true or false");
    (docker ? out.docker_mode : out.json_output) = value.get<bool>();
  }
  return base::Ok{};
}

std::string model_of(const Manifest& manifest, const ProviderConfig& config, const WorkerCall& call,
                     Role role) {
  const TaskSpec& task = manifest.task;
  std::string model = call.model.value_or("");
  if (model.empty()) model = config.model;
  for (const Role one : {role, Role::kWorker}) {
    const auto given = task.models.find(std::string(name(one)));
    if (model.empty() && given != task.models.end()) model = given->second;
  }
  const auto shorthand = task.shorthands.find(model);
  return shorthand == task.shorthands.end() ? model : shorthand->second;
}

std::string effort_of(const Manifest& manifest, const ProviderConfig& config,
                      const WorkerCall& call) {
  if (!call.reasoning_effort.value_or("").empty()) return *call.reasoning_effort;
  if (!config.effort.empty()) return config.effort;
  return supports(manifest, Capability::kEffort) ? manifest.task.effort : "";
}

LaunchRequest request_of(const Manifest& manifest, const ProviderConfig& config,
                         const WorkerCall& call, Role role) {
  LaunchRequest request;
  request.model = model_of(manifest, config, call, role);
  request.effort = effort_of(manifest, config, call);
  request.program = call.cli_path.value_or("").empty() ? config.cli_path : *call.cli_path;
  request.flags = config.flags;
  request.flags.insert(request.flags.end(), call.flags.begin(), call.flags.end());
  if (call.temperature) request.temperature = base::Json(*call.temperature).dump();
  if (call.max_tokens) request.max_tokens = std::to_string(*call.max_tokens);
  return request;
}

// The arguments for the agent's permissions, if its arguments are not headless.arguments.
Result<Words> permissions_of(const Manifest& manifest, const ToolSpecific& wanted, Role role) {
  if (wanted.docker_mode) return contained_words(manifest);
  if (role == Role::kMeta && !manifest.task.answers.empty()) return manifest.task.answers;
  return manifest.headless.asks_us() ? manifest.task.asks : manifest.headless.asks;
}

// Puts the prompt in place of "{prompt}" on the command line.
Status fill_prompt(const Manifest& manifest, const std::string& prompt, Words& argv) {
  if (prompt.size() > kMostPromptArgument) {
    return usage_error("the prompt has " + std::to_string(prompt.size()) +
                       " bytes: as an argument it may have " + std::to_string(kMostPromptArgument) +
                       "; leave use_stdin on");
  }
  for (auto word = argv.begin(); word != argv.end(); ++word) {
    const size_t hole = word->find(kPromptHole);
    if (hole == std::string::npos) continue;
    const bool is_safe = hole > 0 || (word != argv.begin() && *(word - 1) == "--");
    if (!is_safe && prompt.starts_with('-')) {
      return usage_error("the prompt begins with a dash, which agent " + manifest.name +
                         " might take for an option; leave use_stdin on");
    }
    word->replace(hole, kPromptHole.size(), prompt);
    return base::Ok{};
  }
  return base::Ok{};
}

// The arguments for this kind of output and prompt; an error says what the agent lacks.
Result<const Words*> arguments_of(const Manifest& manifest, const ToolSpecific& wanted,
                                  bool use_stdin) {
  const TaskSpec& task = manifest.task;
  if (wanted.json_output && use_stdin) return &manifest.headless.arguments;
  const Words* words = use_stdin            ? &task.text
                       : wanted.json_output ? &task.json_prompt
                                            : &task.text_prompt;
  if (!words->empty()) return words;
  if (use_stdin) {
    return usage_error("agent " + manifest.name +
                       " cannot answer as plain text (its manifest has no task.text)");
  }
  return usage_error("agent " + manifest.name +
                     " takes its prompt on standard input alone (its "
                     "manifest has no task." +
                     (wanted.json_output ? "json" : "text") + "_prompt)");
}

Result<LaunchPlan> launch_of(const Manifest& manifest, const LaunchRequest& request,
                             const WorkerCall& call, const ToolSpecific& wanted, Role role) {
  if (Status s = require(manifest, Capability::kNonInteractive); !s) return s.error();
  const bool only_answers = role == Role::kMeta && !wanted.docker_mode;
  if (wanted.json_output && call.use_stdin && !only_answers) {  // as orch run does
    return plan_headless(manifest, request,
                         wanted.docker_mode ? Allowed::kContained : Allowed::kAsks);
  }
  const Result<const Words*> arguments = arguments_of(manifest, wanted, call.use_stdin);
  if (!arguments) return arguments.error();
  const Result<Words> permissions = permissions_of(manifest, wanted, role);
  if (!permissions) return permissions.error();
  Result<LaunchPlan> plan = plan_arguments(manifest, request, **arguments, *permissions);
  if (!plan) return plan;
  if (wanted.docker_mode && !manifest.root_bypass.empty()) {
    plan->env.insert_or_assign(manifest.root_bypass, "1");
  }
  if (call.use_stdin) return plan;
  if (Status s = fill_prompt(manifest, call.prompt, plan->argv); !s) return s.error();
  return plan;
}

// Adds the variables to `env`. Variables whose value was looked up ("env:NAME") are also added to
// `told`.
Status add_variables(const std::map<std::string, std::string>& given, const ExecPlace& place,
                     std::map<std::string, std::string>& env,
                     std::map<std::string, std::string>& told) {
  for (const auto& [key, value] : given) {
    if (key.empty() || key.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
      return usage_error("env: " + in_quotes(key) + " is not a name of a variable");
    }
    told.erase(key);
    if (!value.starts_with(kReference)) {
      env.insert_or_assign(key, value);
      continue;
    }
    const std::string source = value.substr(kReference.size());
    const auto found = place.variables.find(source);
    if (found == place.variables.end()) {
      return usage_error("env: " + key + " is to be " + in_quotes(value) +
                         ", but orch has no variable " + in_quotes(source) +
                         ": set it, or leave it out");
    }
    env.insert_or_assign(key, found->second);
    told.insert_or_assign(key, found->second);
  }
  return base::Ok{};
}

// Checks that the command line holds no looked-up value, because the process table would show it to
// everybody, and that no word or value holds a NUL byte, because exec would cut it there.
Status check_words(const Words& argv, const std::map<std::string, std::string>& env,
                   const std::map<std::string, std::string>& told) {
  for (const std::string& word : argv) {
    if (word.find('\0') != std::string::npos) {
      return usage_error("a word of the command line holds a NUL byte");
    }
    for (const auto& [key, value] : told) {
      if (value.size() < kLeastTold || word.find(value) == std::string::npos) continue;
      return usage_error("the value of " + key +
                         " stands on the command line, where everybody can read it");
    }
  }
  for (const auto& [key, value] : env) {
    if (value.find('\0') != std::string::npos) {
      return usage_error("env: the value of " + key + " holds a NUL byte");
    }
  }
  return base::Ok{};
}

// The folder that the process runs in, as it was written; it must be in the place's folder.
Result<std::string> workdir_of(const WorkerCall& call, const ExecPlace& place) {
  if (!place.workdir.starts_with('/')) return usage_error("the work directory must be absolute");
  const std::string& given = call.workdir.value_or("");
  std::string path = given.starts_with('/') ? "" : place.workdir;
  std::string_view rest = given;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (part.empty() || part == ".") continue;
    if (part == ".." || part.find('\0') != std::string_view::npos) {
      return usage_error("workdir " + in_quotes(given) + " may not hold \"..\"");
    }
    path.append("/").append(part);
  }
  if (path.empty()) path = "/";
  if (base::is_within(path, place.workdir)) return path;
  return usage_error("workdir " + in_quotes(given) + " is not in " +
                     base::printable(place.workdir));
}

}  // namespace

std::string_view name(Role role) { return base::word_of(kRoles, role); }

std::optional<Role> role_named(std::string_view word) { return base::value_of(kRoles, word); }

Result<ExecPlan> plan_exec(const Registry& registry, const ProviderConfig& config,
                           const WorkerCall& call, const ExecPlace& place) {
  const Manifest* manifest = registry.find_kind(config.kind);
  if (manifest == nullptr) {
    return usage_error("no agent is called " + in_quotes(config.kind) + "; known are " +
                       registry.names());
  }
  return plan_exec(*manifest, config, call, place);
}

Result<ExecPlan> plan_exec(const Manifest& manifest, const ProviderConfig& config,
                           const WorkerCall& call, const ExecPlace& place) {
  ToolSpecific wanted{.docker_mode = place.kind == ExecPlace::Kind::kContainer,
                      .json_output = place.role != Role::kMeta};
  for (const base::Json* json : {&config.tool_specific, &call.tool_specific}) {
    if (Status s = read_tool_specific(*json, wanted); !s) return s.error();
  }
  if (begins_command(call.prompt, manifest.headless.command_start)) {
    return usage_error("the prompt begins with " + in_quotes(base::trim(call.prompt).substr(0, 1)) +
                       ", which agent " + manifest.name +
                       " would take for a command; put a line before it");
  }
  const LaunchRequest request = request_of(manifest, config, call, place.role);
  Result<LaunchPlan> launch = launch_of(manifest, request, call, wanted, place.role);
  if (!launch) return launch.error();
  std::map<std::string, std::string> told;
  for (const auto* given : {&config.extra_env, &call.env}) {
    if (Status s = add_variables(*given, place, launch->env, told); !s) return s.error();
  }
  if (Status s = check_words(launch->argv, launch->env, told); !s) return s.error();
  Result<std::string> workdir = workdir_of(call, place);
  if (!workdir) return workdir.error();
  ExecPlan plan;
  plan.command = launch->argv.front();
  plan.args.assign(launch->argv.begin() + 1, launch->argv.end());
  plan.env = std::move(launch->env);
  plan.workdir = std::move(*workdir);
  if (call.use_stdin) {
    plan.input = wanted.json_output ? message_input(manifest.headless, call.prompt) : call.prompt;
  }
  return plan;
}

}  // namespace orch::adapters
