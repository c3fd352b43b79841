#include "adapters/task_spec.h"

#include <algorithm>

#include "adapters/members.h"

namespace orch::adapters {
namespace {

void model_members(Members& in, std::map<std::string, std::string>& models) {
  if (in.has("worker")) in.optional("worker", models["worker"], "for a task's worker");
  if (in.has("fast")) in.optional("fast", models["fast"], "for a quick worker");
  if (in.has("meta")) in.optional("meta", models["meta"], "for the meta-agent");
}

void prompt_arguments(Members& in, const std::string& key, std::vector<std::string>& arguments,
                      const char* about) {
  in.optional(key, arguments, about);
  const bool has_hole = std::any_of(arguments.begin(), arguments.end(), [](const auto& word) {
    return word.find("{prompt}") != std::string::npos;
  });
  if (!arguments.empty() && !has_hole) in.fail(key, "has no {prompt}");
}

}  // namespace

void task_members(Members& in, TaskSpec& spec) {
  in.optional("aliases", spec.aliases, "other names of the agent");
  in.object("models", spec.models, model_members, "default models");
  in.optional("shorthands", spec.shorthands, "models by short names");
  in.optional("effort", spec.effort, "default effort");
  in.optional("contained", spec.contained, "in a container: no questions");
  in.optional("answers", spec.answers, "for a meta-agent, without tools");
  in.optional("asks", spec.asks, "replaces `headless.asks` where nobody answers");
  in.optional("text", spec.text, "answer in plain text");
  prompt_arguments(in, "text_prompt", spec.text_prompt, "the same, with `{prompt}`");
  prompt_arguments(in, "json_prompt", spec.json_prompt, "answer in JSON lines, with `{prompt}`");
}

}  // namespace orch::adapters
