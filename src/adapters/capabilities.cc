#include "adapters/capabilities.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace orch::adapters {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

std::string option_words(const Manifest& manifest, const char* option) {
  const auto words = manifest.options.find(option);
  return words == manifest.options.end() ? "" : joined(words->second, " ");
}

bool tells_usage_headless(const Manifest& manifest) {
  const auto& rules = manifest.headless.rules;
  return std::any_of(rules.begin(), rules.end(),
                     [](const HeadlessSpec::Rule& rule) { return rule.usage.any(); });
}

// The end of the sentence "agent demo cannot ..." for an agent without the capability.
std::string_view refused(Capability capability) {
  switch (capability) {
    case Capability::kModel:
      return "be given a model";
    case Capability::kNonInteractive:
      return "be run without a terminal";
    case Capability::kPromptFileInclusion:
      return "include files in a prompt";
    case Capability::kResume:
      return "go on in a session of its own";
    case Capability::kEffort:
      return "be given an effort";
    case Capability::kSystemPrompt:
      return "be given a system prompt";
    case Capability::kUsage:
      return "report what a turn used";
    case Capability::kBypass:
      return "run without asking";
    case Capability::kPermissionRequests:
      return "ask orch what it may do without a terminal";
    case Capability::kHooks:
      return "report its state itself";
    case Capability::kCallCheck:
      return "report its calls to orch before they run";
  }
  return "";
}

std::string places_that_tell_usage(const Manifest& manifest) {
  const bool headless = tells_usage(manifest, Place::kHeadless);
  if (!tells_usage(manifest, Place::kTerminal)) return headless ? "headless" : "";
  return headless ? "headless, on a terminal" : "on a terminal";
}

}  // namespace

std::string hooks_of_calls(const CallSpec& calls) {
  std::vector<std::string> hooks;
  for (const CallSpec::Event& event : calls.events) {
    if (event.kind == CallSpec::Event::Kind::kCall) hooks.push_back(event.name);
  }
  return joined(hooks, ", ") +
         (calls.unread.empty() ? "" : "; not told: " + joined(calls.unread, ", "));
}

namespace {

// The words of the command line that make the agent use the capability; "" without any.
std::string means_of(const Manifest& manifest, Capability capability) {
  switch (capability) {
    case Capability::kModel:
      return option_words(manifest, "model");
    case Capability::kEffort:
      return option_words(manifest, "effort");
    case Capability::kSystemPrompt:
      return option_words(manifest, "system_prompt");
    case Capability::kNonInteractive:
      return joined(manifest.headless.arguments, " ");
    case Capability::kPromptFileInclusion:
      return supports(manifest, capability) ? "@path" : "";
    case Capability::kResume:
      return joined(manifest.session.resume, " ");
    case Capability::kBypass:
      return joined(manifest.bypass, ", ");
    case Capability::kUsage:
      return places_that_tell_usage(manifest);
    case Capability::kCallCheck:
      return hooks_of_calls(manifest.calls);
    case Capability::kPermissionRequests:
    case Capability::kHooks:
      return "";
  }
  return "";
}

}  // namespace

std::string_view name(Capability capability) {
  switch (capability) {
    case Capability::kModel:
      return "supports_model";
    case Capability::kNonInteractive:
      return "supports_non_interactive";
    case Capability::kPromptFileInclusion:
      return "supports_prompt_file_inclusion";
    case Capability::kResume:
      return "supports_resume";
    case Capability::kEffort:
      return "supports_effort";
    case Capability::kSystemPrompt:
      return "supports_system_prompt";
    case Capability::kUsage:
      return "supports_usage";
    case Capability::kBypass:
      return "supports_bypass";
    case Capability::kPermissionRequests:
      return "supports_permission_requests";
    case Capability::kHooks:
      return "supports_hooks";
    case Capability::kCallCheck:
      return "supports_call_check";
  }
  return "";
}

bool supports(const Manifest& manifest, Capability capability) {
  switch (capability) {
    case Capability::kModel:
      return manifest.options.contains("model");
    case Capability::kNonInteractive:
      return manifest.headless.any();
    case Capability::kPromptFileInclusion:
      return manifest.includes_files;
    case Capability::kResume:
      return !manifest.session.resume.empty();
    case Capability::kEffort:
      return manifest.options.contains("effort");
    case Capability::kSystemPrompt:
      return manifest.options.contains("system_prompt");
    case Capability::kUsage:
      return tells_usage(manifest, Place::kTerminal) || tells_usage(manifest, Place::kHeadless);
    case Capability::kBypass:
      return !manifest.bypass.empty();
    case Capability::kPermissionRequests:
      return manifest.headless.asks_us();
    case Capability::kHooks:
      return !manifest.rules.notices.empty() && manifest.hooks.any();
    case Capability::kCallCheck:
      return manifest.calls.any();
  }
  return false;
}

bool tells_usage(const Manifest& manifest, Place place) {
  return place == Place::kTerminal ? manifest.record.usage.any() : tells_usage_headless(manifest);
}

bool tells_cost(const Manifest& manifest, Place place) {
  if (place == Place::kTerminal) return !manifest.record.usage.counts.cost.empty();
  const auto& rules = manifest.headless.rules;
  return std::any_of(rules.begin(), rules.end(),
                     [](const HeadlessSpec::Rule& rule) { return !rule.usage.cost.empty(); });
}

base::Status require(const Manifest& manifest, Capability capability, std::string_view more) {
  if (supports(manifest, capability)) return base::Ok{};
  return base::usage_error("agent " + manifest.name + " cannot " +
                           std::string(refused(capability)) + " (" + std::string(name(capability)) +
                           " is false)" + std::string(more) + "; see orch agents show");
}

base::Status check_root_bypass(const Manifest& manifest, const std::vector<std::string>& argv,
                               const Variables& variables) {
  const std::string& variable = manifest.root_bypass;
  if (variable.empty() || manifest.program.empty() || variables(variable) == "1") return base::Ok{};
  const auto names_it = [&manifest](std::string_view word) {
    return word.substr(word.rfind('/') + 1) == manifest.program.front();
  };
  const auto asks_for_nothing = [&manifest](const std::string& word) {
    const auto& bypass = manifest.bypass;
    return std::find(bypass.begin(), bypass.end(), word) != bypass.end();
  };
  const auto program = std::find_if(argv.begin(), argv.end(), names_it);
  const auto word = std::find_if(program, argv.end(), asks_for_nothing);
  if (word == argv.end()) return base::Ok{};
  return base::usage_error("agent " + manifest.name + " refuses " + *word + " as root (" +
                           std::string(name(Capability::kBypass)) +
                           "): be another user, or add --env " + variable +
                           "=1 where this machine is a sandbox");
}

std::string to_text(const Manifest& manifest) {
  constexpr size_t kNameColumns = 32, kAnswerColumns = 4;
  std::string text;
  for (const Capability capability : kCapabilities) {
    std::string line(name(capability));
    line.resize(kNameColumns, ' ');
    line += supports(manifest, capability) ? "yes" : "no";
    if (const std::string means = means_of(manifest, capability); !means.empty()) {
      line.resize(kNameColumns + kAnswerColumns, ' ');
      line += base::printable(means);
    }
    text += line + "\n";
  }
  std::string models = "available_models";
  models.resize(kNameColumns, ' ');
  return text + models +
         (manifest.models.empty() ? "not known" : base::printable(joined(manifest.models, ", "))) +
         "\n";
}

base::Json to_json(const Manifest& manifest) {
  base::Json json;
  json["agent"] = manifest.name;
  json["title"] = manifest.title;
  json["tested"] = base::or_null(manifest.tested);
  json["verified"] = manifest.verified;
  for (const Capability capability : kCapabilities) {
    json[std::string(name(capability))] = supports(manifest, capability);
  }
  json["available_models"] = manifest.models;
  return json;
}

}  // namespace orch::adapters
