#include "adapters/launch.h"

namespace orch::adapters {

base::Result<LaunchPlan> plan_launch(const Manifest& manifest, const LaunchRequest& request) {
  LaunchPlan plan{manifest.program, manifest.env};
  plan.argv.insert(plan.argv.end(), manifest.asks.begin(), manifest.asks.end());
  plan.argv.insert(plan.argv.end(), request.command.begin(), request.command.end());
  if (plan.argv.empty()) {
    return base::usage_error("agent " + manifest.name + ": no command given; put it after --");
  }
  const std::map<std::string, const std::string*> options{
      {"model", &request.model},
      {"effort", &request.effort},
      {"system_prompt", &request.system_prompt}};
  for (const auto& [name, value] : options) {
    if (value->empty()) continue;
    const auto words = manifest.options.find(name);
    if (words == manifest.options.end()) {
      return base::usage_error("agent " + manifest.name + " has no option for " + name);
    }
    for (const std::string& word : words->second) {
      const size_t hole = word.find("{}");
      std::string argument = word;
      if (hole != std::string::npos) argument.replace(hole, 2, *value);
      plan.argv.push_back(std::move(argument));
    }
  }
  return plan;
}

}  // namespace orch::adapters
