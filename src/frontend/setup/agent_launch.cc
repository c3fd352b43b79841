#include "setup/agent_launch.h"

#include <unistd.h>

#include <filesystem>

#include "adapters/capabilities.h"
#include "session/call_settings.h"
#include "session/environment.h"
#include "setup/agents.h"
#include "setup/container_options.h"
#include "setup/paths.h"

namespace orch::setup {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

// Adds the variables of --env to the agent's environment. NAME=VALUE on a command line is visible
// to others (ps); NAME alone has orch's own value.
Status add_variables(const std::vector<std::string>& given, adapters::LaunchPlan& plan) {
  for (const std::string& word : given) {
    const std::string name = word.substr(0, word.find('='));
    if (name.empty()) return usage_error("--env " + word + ": write NAME or NAME=VALUE");
    if (name.size() < word.size()) {
      plan.env.insert_or_assign(name, word.substr(name.size() + 1));
    } else if (const auto variable = session::given_variable(name)) {
      plan.env.insert_or_assign(name, variable->value);
      if (!variable->own) plan.not_persons.insert(name);
    } else {
      return usage_error("--env " + name +
                         ": orch has no such variable; write NAME=VALUE to set one");
    }
  }
  return base::Ok{};
}

// A relative path is relative to orch's working directory, not the agent's. In a container the
// program is a path, or a name, inside of it.
std::string absolute_program(const options::RunRequest& request) {
  const std::string& program = request.agent_program;
  if (wants_container(request) || program.find('/') == std::string::npos) return program;
  std::error_code failure;
  const std::string absolute = std::filesystem::absolute(program, failure).string();
  return failure ? program : absolute;
}

// The permissions of an agent without a terminal. In a container it may do everything, unless rules
// decide: the agent's own sandbox would not work in there.
adapters::Allowed allowed_to(const options::RunRequest& request,
                             const adapters::Manifest& manifest) {
  using adapters::Allowed;
  const bool by_rules = request.approve != "none" && request.approve != "all";
  if (!by_rules && wants_container(request) && adapters::contained_words(manifest)) {
    return Allowed::kContained;
  }
  if (checks_calls(request, manifest)) return Allowed::kEverything;  // orch decides about each call
  return request.approve == "all" ? Allowed::kEverything : Allowed::kAsks;
}

}  // namespace

bool checks_calls(const options::RunRequest& request, const adapters::Manifest& manifest) {
  const bool wanted = request.approve != "none" || request.check_calls;
  const bool has_hooks =
      manifest.calls.any() && (request.mode != "acp" || manifest.acp.checks_calls);
  return wanted && has_hooks && request.container.empty();
}

Status check_calls_are_told(const options::RunRequest& request,
                            const adapters::Manifest& manifest) {
  if (!request.check_calls || checks_calls(request, manifest)) return base::Ok{};
  if (request.mode == "acp" && !manifest.acp.checks_calls) {
    return usage_error("--check-calls: the hooks of agent " + manifest.name +
                       " do not run with --mode acp: leave one of them out");
  }
  if (manifest.calls.any()) {
    return usage_error(
        "--check-calls: in the container of a task no hook reaches orch: leave it out");
  }
  return usage_error(
      "--check-calls: agent " + manifest.name +
      " has no hook that reports its calls (orch doctor names the agents that have one): "
      "leave it out, and orch reads its dialogs");
}

std::string unread_note(const options::RunRequest& request, const adapters::Manifest& manifest) {
  if (request.approve == "none" || checks_calls(request, manifest)) return "";
  if (!manifest.idle_known || !manifest.writes_files) return "";
  return "agent " + manifest.name + ": --approve reads its dialogs alone; what it does without a " +
         (wants_container(request) ? "dialog in the container is not read" : "dialog is not read");
}

std::string project_note(const options::RunRequest& request, const adapters::Manifest& manifest,
                         const std::string& work_dir) {
  if (!checks_calls(request, manifest)) return "";
  if (!session::project_settings(manifest.calls, work_dir).replaces) return "";
  return "agent " + manifest.name +
         ": hooks or plugins in the project's settings could replace a call after it was read; so "
         "its "
         "settings, CLAUDE.md and skills are left out";
}

std::vector<std::string> known_words(const options::RunRequest& request, const AgentChoice& choice,
                                     const adapters::LaunchPlan& launch) {
  std::vector<std::string> words = launch.argv;
  if (!request.agent_program.empty()) words.front() = choice.manifest->program.front();
  return words;
}

Result<adapters::LaunchPlan> launch_of(const options::RunRequest& request,
                                       const AgentChoice& choice, session::Mode mode,
                                       const std::string& self) {
  adapters::LaunchRequest wanted{request.model, request.effort, "", request.command};
  wanted.resume = request.resume;
  wanted.program = absolute_program(request);
  wanted.flags = request.agent_flags;
  if (request.mcp) {
    Result<std::string> state_dir = state_dir_of(request.state_dir);
    if (!state_dir) return state_dir.error();
    wanted.mcp_program = self;
    wanted.mcp_state_dir = std::move(state_dir).value();
  }
  if (!request.system_prompt_file.empty()) {
    Result<std::string> text = read_text(request.system_prompt_file);
    if (!text) return text.error();
    wanted.system_prompt = std::move(text).value();
    wanted.system_prompt_file = regular_file(request.system_prompt_file);
  }
  const adapters::Manifest& agent = *choice.manifest;
  Result<adapters::LaunchPlan> plan =
      request.mode == "acp" ? adapters::plan_acp(agent, wanted)
      : mode == session::Mode::kHeadless
          ? adapters::plan_headless(agent, wanted, allowed_to(request, agent))
          : adapters::plan_launch(agent, wanted);
  if (!plan) return plan.error();
  // In a container the program is found on the container's PATH.
  const bool inside = wants_container(request);
  if (plan->argv.front() == kSelf) plan->argv.front() = inside ? "orch" : self;
  if (Status s = add_variables(request.env, *plan); !s) return s.error();
  return plan;
}

Status check_privileges(const options::RunRequest& request, const AgentChoice& choice,
                        const adapters::LaunchPlan& launch) {
  if (::geteuid() != 0) return base::Ok{};
  const auto variables = [&launch](std::string_view name) {
    const auto added = launch.env.find(std::string(name));
    return added == launch.env.end() ? environment(std::string(name).c_str()) : added->second;
  };
  const std::vector<std::string> words = known_words(request, choice, launch);
  for (const adapters::Manifest& agent : choice.agents.named_in(words)) {
    if (Status s = adapters::check_root_bypass(agent, words, variables); !s) return s;
  }
  return base::Ok{};
}

}  // namespace orch::setup
