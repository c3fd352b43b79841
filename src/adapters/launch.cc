#include "adapters/launch.h"

#include <algorithm>
#include <array>

#include "adapters/capabilities.h"
#include "base/uuid.h"

namespace orch::adapters {

namespace {

// The words of the options that were asked for.
base::Status add_options(const Manifest& manifest, const LaunchRequest& request, LaunchPlan& plan) {
  struct Option {
    const char* name;
    Capability capability;
    const std::string* value;
  };
  const std::array<Option, 3> options{
      {{"effort", Capability::kEffort, &request.effort},
       {"model", Capability::kModel, &request.model},
       {"system_prompt", Capability::kSystemPrompt, &request.system_prompt}}};
  for (const auto& [name, capability, value] : options) {
    if (value->empty()) continue;
    if (base::Status s = require(manifest, capability); !s) return s.error();
    for (const std::string& word : manifest.options.at(name)) {
      if (word == "{file}") {
        if (request.system_prompt_file.empty()) {
          return base::usage_error("agent " + manifest.name +
                                   " reads its system prompt itself: name a regular file");
        }
        plan.argv.push_back(request.system_prompt_file);
        continue;
      }
      const size_t hole = word.find("{}");
      std::string argument = word;
      if (hole != std::string::npos) argument.replace(hole, 2, *value);
      if (hole != std::string::npos && value == &request.system_prompt) plan.untold = *value;
      plan.argv.push_back(std::move(argument));
    }
  }
  return base::Ok{};
}

// The agent's own session to take up.
base::Status set_resume(const Manifest& manifest, const LaunchRequest& request, LaunchPlan& plan) {
  if (request.resume.empty()) return base::Ok{};
  if (base::Status s = check_resumes(manifest); !s) return s.error();
  if (!base::is_uuid(request.resume)) {
    return base::usage_error("\"" + request.resume + "\" is no session of agent " + manifest.name +
                             ": its id must be a UUID");
  }
  plan.resume = request.resume;
  return base::Ok{};
}

}  // namespace

base::Result<LaunchPlan> plan_launch(const Manifest& manifest, const LaunchRequest& request) {
  LaunchPlan plan{manifest.program, manifest.env};
  plan.argv.insert(plan.argv.end(), manifest.asks.begin(), manifest.asks.end());
  plan.argv.insert(plan.argv.end(), request.command.begin(), request.command.end());
  if (plan.argv.empty()) {
    return base::usage_error("agent " + manifest.name + ": no command given; put it after --");
  }
  if (base::Status s = add_options(manifest, request, plan); !s) return s.error();
  if (base::Status s = set_resume(manifest, request, plan); !s) return s.error();
  return plan;
}

base::Result<LaunchPlan> plan_headless(const Manifest& manifest, const LaunchRequest& request,
                                       Allowed allowed) {
  const HeadlessSpec& spec = manifest.headless;
  if (base::Status s = require(manifest, Capability::kNonInteractive); !s) return s.error();
  LaunchPlan plan{{manifest.program.front()}, manifest.env};
  plan.asks = allowed != Allowed::kEverything || spec.asks_us();
  bool has_resume = false;
  for (const std::string& word : spec.arguments) {
    if (word == "{resume}") {
      plan.resume_at = plan.argv.size();
      has_resume = true;
    } else if (word == "{options}") {
      const auto& words = allowed == Allowed::kEverything ? spec.bypass : spec.asks;
      plan.argv.insert(plan.argv.end(), words.begin(), words.end());
      if (base::Status s = add_options(manifest, request, plan); !s) return s.error();
    } else {
      plan.argv.push_back(word);
    }
  }
  if (!has_resume) plan.resume_at = plan.argv.size();
  if (request.resume.empty()) return plan;
  if (base::Status s = check_resumes_headless(manifest); !s) return s.error();
  if (!is_session_id(request.resume)) {
    return base::usage_error("\"" + request.resume + "\" is no session of agent " + manifest.name);
  }
  plan.resume = request.resume;
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
