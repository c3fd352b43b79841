#include "adapters/task_spec.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_members.h"

namespace orch::adapters {
namespace {

using base::Json;
using base::JsonMembers;

void read_texts(JsonMembers& parent, const std::string& key,
                std::map<std::string, std::string>& texts) {
  const Json* json = parent.find(key);
  if (json == nullptr) return;
  if (!json->is_object()) return parent.fail(key, "must be an object of strings");
  JsonMembers in(parent, *json, parent.place_of(key));
  for (const auto& [name, value] : json->items()) in.optional(name, texts[name]);
}

void read_models(JsonMembers& parent, std::map<std::string, std::string>& models) {
  const Json* json = parent.find("models");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, parent.place_of("models"));
  for (const char* role : {"worker", "fast", "meta"}) {
    if (in.has(role)) in.optional(role, models[role]);
  }
}

void read_prompt_arguments(JsonMembers& in, const std::string& key,
                           std::vector<std::string>& arguments) {
  in.optional(key, arguments);
  const bool has_hole = std::any_of(arguments.begin(), arguments.end(), [](const auto& word) {
    return word.find("{prompt}") != std::string::npos;
  });
  if (!arguments.empty() && !has_hole) in.fail(key, "has no {prompt}");
}

}  // namespace

void read_task(JsonMembers& parent, TaskSpec& spec) {
  const Json* json = parent.find("task");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "task");
  std::string about;
  in.optional("about", about);
  in.optional("aliases", spec.aliases);
  read_models(in, spec.models);
  read_texts(in, "shorthands", spec.shorthands);
  in.optional("effort", spec.effort);
  in.optional("contained", spec.contained);
  in.optional("answers", spec.answers);
  in.optional("asks", spec.asks);
  in.optional("text", spec.text);
  read_prompt_arguments(in, "text_prompt", spec.text_prompt);
  read_prompt_arguments(in, "json_prompt", spec.json_prompt);
}

}  // namespace orch::adapters
