#include "adapters/launch.h"

#include <algorithm>
#include <array>
#include <optional>

#include "adapters/capabilities.h"
#include "base/json.h"
#include "base/text.h"

namespace orch::adapters {

namespace {

struct Option {
  const char* name;
  const std::string* value;
  std::optional<Capability> capability;
};

// An error if the agent has no words for the option.
base::Status check_option(const Manifest& manifest, const Option& option) {
  if (option.capability) return require(manifest, *option.capability);
  if (manifest.options.contains(option.name)) return base::Ok{};
  return base::usage_error("agent " + manifest.name + " has no word for " + option.name +
                           " (its manifest has no options." + option.name + ")");
}

base::Status add_option(const Manifest& manifest, const LaunchRequest& request,
                        const Option& option, LaunchPlan& plan) {
  const std::string& value = *option.value;
  for (const std::string& word : manifest.options.at(option.name)) {
    if (word == "{file}") {
      if (request.system_prompt_file.empty()) {
        return base::usage_error("agent " + manifest.name +
                                 " reads its system prompt itself: name a regular file");
      }
      plan.argv.push_back(request.system_prompt_file);
      continue;
    }
    // Some parsers mistake a value that begins with a dash for another option.
    if (word == "{}" && value.starts_with('-')) {
      return base::usage_error(std::string(option.name) + " \"" + base::printable(value) +
                               "\" begins with a dash: agent " + manifest.name +
                               " might take it for an option");
    }
    const size_t hole = word.find("{}");
    std::string argument = word;
    if (hole != std::string::npos) argument.replace(hole, 2, value);
    if (hole != std::string::npos && option.value == &request.system_prompt) plan.untold = value;
    plan.argv.push_back(std::move(argument));
  }
  return base::Ok{};
}

void add_own_server(const Manifest& manifest, const LaunchRequest& request, LaunchPlan& plan) {
  const McpSpec& spec = manifest.mcp;
  if (request.mcp_program.empty() || !spec.own) return;
  const McpWords words = words_for(
      spec, {"orch", request.mcp_program, {"mcp", "--state-dir", request.mcp_state_dir}, {}});
  for (const auto* more : {&words.arguments, &spec.own_arguments}) {
    plan.argv.insert(plan.argv.end(), more->begin(), more->end());
  }
  for (const auto* more : {&words.env, &spec.own_env}) {
    for (const auto& [name, value] : *more) plan.env[name] = value;
  }
}

// Adds the words of all requested options, then those for orch's MCP server, then the flags.
base::Status add_options(const Manifest& manifest, const LaunchRequest& request, LaunchPlan& plan) {
  const std::array<Option, 5> options{
      {{"effort", &request.effort, Capability::kEffort},
       {"model", &request.model, Capability::kModel},
       {"system_prompt", &request.system_prompt, Capability::kSystemPrompt},
       {"temperature", &request.temperature, {}},
       {"max_tokens", &request.max_tokens, {}}}};
  for (const Option& option : options) {
    if (option.value->empty()) continue;
    if (base::Status s = check_option(manifest, option); !s) return s;
    if (base::Status s = add_option(manifest, request, option, plan); !s) return s;
  }
  add_own_server(manifest, request, plan);
  plan.argv.insert(plan.argv.end(), request.flags.begin(), request.flags.end());
  return base::Ok{};
}

// Puts the session to resume into the plan.
base::Status set_resume(const Manifest& manifest, const LaunchRequest& request, LaunchPlan& plan) {
  if (request.resume.empty()) return base::Ok{};
  if (base::Status s = check_resumes(manifest); !s) return s.error();
  if (!is_session_id(request.resume)) {
    return base::usage_error("\"" + request.resume + "\" is not a session of agent " +
                             manifest.name);
  }
  plan.resume = request.resume;
  return base::Ok{};
}

}  // namespace

base::Result<LaunchPlan> plan_launch(const Manifest& manifest, const LaunchRequest& request) {
  LaunchPlan plan{manifest.program, manifest.env};
  if (!request.program.empty()) {
    if (plan.argv.empty()) {
      return base::usage_error("agent " + manifest.name + " has no program to replace by " +
                               base::printable(request.program));
    }
    plan.argv.front() = request.program;
  }
  plan.argv.insert(plan.argv.end(), manifest.asks.begin(), manifest.asks.end());
  plan.argv.insert(plan.argv.end(), request.command.begin(), request.command.end());
  if (plan.argv.empty()) {
    return base::usage_error("agent " + manifest.name + ": no command given; put it after --");
  }
  if (base::Status s = add_options(manifest, request, plan); !s) return s.error();
  if (base::Status s = set_resume(manifest, request, plan); !s) return s.error();
  return plan;
}

base::Result<std::vector<std::string>> contained_words(const Manifest& manifest) {
  if (!manifest.task.contained.empty()) return manifest.task.contained;
  if (!manifest.headless.bypass.empty()) return manifest.headless.bypass;
  return base::usage_error("agent " + manifest.name +
                           " cannot run without asking in a container (its manifest has "
                           "neither task.contained nor headless.bypass)");
}

base::Result<LaunchPlan> plan_headless(const Manifest& manifest, const LaunchRequest& request,
                                       Allowed allowed) {
  const HeadlessSpec& spec = manifest.headless;
  if (base::Status s = require(manifest, Capability::kNonInteractive); !s) return s.error();
  std::vector<std::string> permissions = spec.asks;
  if (allowed == Allowed::kEverything) permissions = spec.bypass;
  if (allowed == Allowed::kContained) {
    base::Result<std::vector<std::string>> words = contained_words(manifest);
    if (!words) return words.error();
    permissions = std::move(words).value();
  }
  base::Result<LaunchPlan> plan = plan_arguments(manifest, request, spec.arguments, permissions);
  if (!plan) return plan;
  plan->asks = allowed == Allowed::kAsks || (allowed == Allowed::kEverything && spec.asks_us());
  if (allowed == Allowed::kContained && !manifest.root_bypass.empty()) {
    plan->env.insert_or_assign(manifest.root_bypass, "1");
  }
  return plan;
}

base::Result<LaunchPlan> plan_arguments(const Manifest& manifest, const LaunchRequest& request,
                                        const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& permissions) {
  if (base::Status s = require(manifest, Capability::kNonInteractive); !s) return s.error();
  if (manifest.program.empty()) {
    return base::usage_error("agent " + manifest.name + ": its manifest has no program");
  }
  const bool replaced = !request.program.empty();
  LaunchPlan plan{{replaced ? request.program : manifest.program.front()}, manifest.env};
  bool has_resume = false;
  for (const std::string& word : arguments) {
    if (word == "{resume}") {
      plan.resume_at = plan.argv.size();
      has_resume = true;
    } else if (word == "{options}") {
      plan.argv.insert(plan.argv.end(), permissions.begin(), permissions.end());
      if (base::Status s = add_options(manifest, request, plan); !s) return s.error();
    } else {
      plan.argv.push_back(word);
    }
  }
  if (!has_resume) plan.resume_at = plan.argv.size();
  if (request.resume.empty()) return plan;
  if (base::Status s = check_resumes_headless(manifest); !s) return s.error();
  if (!is_session_id(request.resume)) {
    return base::usage_error("\"" + request.resume + "\" is not a session of agent " +
                             manifest.name);
  }
  plan.resume = request.resume;
  return plan;
}

base::Result<LaunchPlan> plan_acp(const Manifest& manifest, const LaunchRequest& request) {
  LaunchRequest anew = request;
  anew.resume.clear();  // a request of the protocol continues a session, not a word
  base::Result<LaunchPlan> plan = manifest.acp.any()
                                      ? plan_arguments(manifest, anew, manifest.acp.arguments, {})
                                      : plan_launch(manifest, anew);
  if (!plan || request.resume.empty()) return plan;
  if (!is_session_id(request.resume)) {
    return base::usage_error("\"" + base::printable(request.resume) +
                             "\" is not a session of agent " + manifest.name);
  }
  plan->resume = request.resume;
  return plan;
}

base::Status check_resumes_headless(const Manifest& manifest) {
  if (!manifest.headless.resume.empty()) return base::Ok{};
  return base::usage_error("agent " + manifest.name +
                           " cannot go on in a session of its own without a terminal: its manifest "
                           "has no headless.resume");
}

bool is_session_id(std::string_view text) {
  constexpr size_t kLongest = 128;
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '-';
  };
  return !text.empty() && text.size() <= kLongest && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_plain);
}

base::Status check_resumes(const Manifest& manifest) {
  return require(manifest, Capability::kResume, ": its manifest has no session.resume");
}

void set_session(const OwnSessionSpec& spec, SessionStart start, const std::string& new_id,
                 LaunchPlan& plan) {
  const bool resumes = !plan.resume.empty() && start == SessionStart::kAsPlanned;
  plan.session_words = resumes ? spec.resume : spec.begin;
  plan.session = resumes ? plan.resume : plan.session_words.empty() ? "" : new_id;
  std::replace(plan.session_words.begin(), plan.session_words.end(), std::string("{}"),
               plan.session);
}

std::vector<std::string> whole_argv(const LaunchPlan& plan) {
  std::vector<std::string> argv = plan.argv;
  argv.insert(argv.end(), plan.session_words.begin(), plan.session_words.end());
  return argv;
}

std::vector<std::string> told_argv(const LaunchPlan& plan) {
  std::vector<std::string> argv = whole_argv(plan);
  if (plan.untold.empty()) return argv;
  for (std::string& word : argv) {
    if (word.ends_with(plan.untold))
      word.replace(word.size() - plan.untold.size(), std::string::npos, "…");
  }
  return argv;
}

}  // namespace orch::adapters
