#include "task/trust_needs.h"

#include <array>
#include <string_view>

#include "base/text.h"

namespace orch::task {
namespace {

using Fields = std::vector<std::string>;

// Fields that a meta-agent may set only with the user's permission, because it answers in the words
// of others.
constexpr std::array kCallFieldsOfPower{CallField::kCliPath, CallField::kFlags, CallField::kEnv,
                                        CallField::kToolSpecific};

void add_provider(const adapters::ProviderConfig& provider, const std::string& prefix,
                  Fields& out) {
  if (!provider.cli_path.empty()) out.push_back(prefix + "cli_path");
  if (!provider.flags.empty()) out.push_back(prefix + "flags");
  for (const auto& [name, value] : provider.extra_env) out.push_back(prefix + "env." + name);
  for (const auto& [key, value] : provider.tool_specific.items()) {
    if (key != "json_output") out.push_back(prefix + "tool_specific." + base::printable(key));
  }
}

// The networks of a container that reach no more than the default one.
bool is_plain_network(std::string_view network) {
  return network.empty() || network == "none" || network == "bridge";
}

void add_sandbox(const SandboxSpec& sandbox, Fields& out) {
  if (sandbox.kind == SandboxKind::kNone) out.emplace_back(kNoSandbox);
  if (!sandbox.is_container()) return;  // a network that the fence's user names is a narrower one
  if (!sandbox.image.empty()) out.emplace_back("runner.sandbox.image");
  if (!sandbox.mounts.empty()) out.emplace_back("runner.sandbox.mounts");
  if (!is_plain_network(sandbox.network)) out.emplace_back("runner.sandbox.network");
}

}  // namespace

std::vector<std::string> fields_that_need_trust(const TaskSpec& task) {
  Fields fields;
  add_provider(task.meta.provider, "runner.meta.", fields);
  if (!task.meta.base_url.empty()) fields.emplace_back("runner.meta.base_url");
  add_provider(task.worker.provider, "runner.worker.", fields);
  for (const CallField field : kCallFieldsOfPower) {
    if (task.worker.allow.contains(field)) {
      fields.push_back("runner.worker.allow: " + std::string(name(field)));
    }
  }
  add_sandbox(task.sandbox, fields);
  return fields;
}

}  // namespace orch::task
