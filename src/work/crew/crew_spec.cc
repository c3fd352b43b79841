#include "crew/crew_spec.h"

#include <algorithm>
#include <array>

#include "base/name.h"
#include "base/text.h"
#include "yaml/members.h"

namespace orch::crew {
namespace {

using Kind = yaml::Value::Kind;

// Senders of messages other than agents, and the word for all agents.
constexpr std::array<std::string_view, 4> kTaken{"run", "user", "orch", "all"};
constexpr int kMostHops = 1'000;

void read_name(yaml::Members& in, std::string_view key, size_t most, std::string& out) {
  in.required_text(key, out);
  if (!in.ok() || base::is_name(out, most)) return;
  in.fail(key, "must be letters, digits, _ and -, at most " + std::to_string(most) +
                   ", and begin with a letter or digit");
}

// Reads a text that becomes a word of a command line, or that is shown in a row.
void read_line(yaml::Members& in, std::string_view key, std::string& out) {
  in.text(key, out);
  if (in.ok() && base::printable(out) != out)
    in.fail(key, "must be one line of printable characters");
}

void read_agent(yaml::Errors& errors, const yaml::Value& node, size_t at, CrewSpec& crew) {
  yaml::Members in(errors, node, "agents[" + std::to_string(at) + "]");
  AgentSpec agent;
  read_name(in, "name", kMaxAgent, agent.name);
  read_line(in, "role", agent.role);
  read_name(in, "cli", base::kMaxName, agent.cli);
  read_line(in, "model", agent.model);
  read_line(in, "effort", agent.effort);
  in.text("prompt", agent.prompt);
  read_line(in, "prompt_file", agent.prompt_file);
  read_line(in, "cwd", agent.cwd);
  in.flag("worktree", agent.worktree);
  if (!in.ok()) return;
  if (std::count(kTaken.begin(), kTaken.end(), agent.name) != 0) {
    in.fail("name", "no agent can be called " + agent.name);
  } else if (find_agent(crew, agent.name) != nullptr) {
    in.fail("name", "two agents are called " + agent.name);
  } else if (!agent.prompt.empty() && !agent.prompt_file.empty()) {
    in.fail("prompt_file", "give prompt or prompt_file");
  } else if (agent.worktree && !agent.cwd.empty()) {
    in.fail("worktree", "give worktree or cwd");
  }
  crew.agents.push_back(std::move(agent));
}

void read_agents(yaml::Errors& errors, yaml::Members& in, CrewSpec& crew) {
  const yaml::Value* node = in.required("agents", "a list of agents");
  if (node == nullptr) return;
  if (node->kind != Kind::kList) return in.expected("agents", "a list of agents");
  if (node->items.size() > kMaxAgents) {
    return in.fail("agents", "at most " + std::to_string(kMaxAgents) + " agents");
  }
  for (size_t i = 0; i < node->items.size(); ++i) read_agent(errors, node->items[i], i, crew);
}

// Reads the name of an agent of this crew.
void read_member(yaml::Members& in, std::string_view key, const CrewSpec& crew, std::string& out) {
  in.required_text(key, out);
  if (in.ok() && find_agent(crew, out) == nullptr) {
    in.fail(key, "no agent is called " + base::printable(out));
  }
}

void read_flow(yaml::Errors& errors, yaml::Members& in, CrewSpec& crew) {
  const yaml::Value* node = in.find("flow");
  if (node == nullptr) return;
  yaml::Members flow(errors, *node, "flow");
  flow.count("max_hops", 1, kMostHops, crew.flow.max_hops);
  const yaml::Value* rules = flow.required("rules", "a list of rules");
  if (rules == nullptr) return;
  if (rules->kind != Kind::kList) return flow.expected("rules", "a list of rules");
  for (size_t i = 0; i < rules->items.size(); ++i) {
    yaml::Members rule(errors, rules->items[i], "flow.rules[" + std::to_string(i) + "]");
    FlowRule read;
    read_member(rule, "when", crew, read.agent);
    rule.required_text("says", read.says);
    if (rule.ok() && base::printable(read.says) != read.says) {
      rule.fail("says", "must be one line of printable characters");
    }
    read_member(rule, "nudge", crew, read.to);
    rule.required_text("text", read.text);
    crew.flow.rules.push_back(std::move(read));
  }
}

}  // namespace

base::Result<CrewSpec> read_crew(std::string_view yaml, std::string_view name) {
  const base::Result<yaml::Value> node = yaml::read_yaml(yaml, name, {.bytes = kMaxSpecBytes});
  if (!node) return node.error();
  yaml::Errors errors{std::string(name)};
  CrewSpec crew;
  {
    yaml::Members in(errors, *node, "");
    int version = 0;
    in.count("version", 1, 1, version);
    if (in.ok() && version == 0) in.fail("version", "must be 1");
    read_name(in, "project", kMaxProject, crew.project);
    read_agents(errors, in, crew);
    read_flow(errors, in, crew);
  }
  if (errors.first) return *errors.first;
  return crew;
}

const AgentSpec* find_agent(const CrewSpec& crew, std::string_view name) {
  const auto found = std::find_if(crew.agents.begin(), crew.agents.end(),
                                  [name](const AgentSpec& agent) { return agent.name == name; });
  return found == crew.agents.end() ? nullptr : &*found;
}

std::string crew_name(std::string_view project) { return "crew-" + std::string(project); }

std::string issue_of(std::string_view project, std::string_view agent) {
  return crew_name(project).append("-").append(agent);
}

}  // namespace orch::crew
