#include "meta/agent_variables.h"

#include <memory>
#include <set>

#include "mask/secrets.h"
#include "mask/text.h"

namespace orch::meta {
namespace {

void add_keys(const adapters::Manifest& agent, std::set<std::string, std::less<>>& out) {
  out.insert(agent.login.variables.begin(), agent.login.variables.end());
  out.insert(agent.login.keys.begin(), agent.login.keys.end());
}

}  // namespace

std::map<std::string, std::string> agent_variables(
    const std::map<std::string, std::string>& variables, const adapters::Manifest& agent,
    const adapters::Registry& agents) {
  std::set<std::string, std::less<>> own, known{"SSH_AUTH_SOCK", "SSH_AGENT_PID"};
  add_keys(agent, own);
  for (const adapters::Manifest& each : agents.all()) add_keys(each, known);
  const auto shapes = std::make_shared<const mask::Secrets>();
  std::map<std::string, std::string> given;
  for (const auto& [name, value] : variables) {
    const bool is_key =
        known.contains(name) || mask::names_secret(name) || !mask::find(shapes, value).empty();
    if (!is_key || own.contains(name)) given.emplace(name, value);
  }
  return given;
}

}  // namespace orch::meta
