#include "crew/crew_state.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_members.h"
#include "base/name.h"
#include "base/text.h"

namespace orch::crew {
namespace {

using base::Json;
using base::JsonDocument;
using base::JsonMembers;

constexpr base::JsonLimits kLimits{.bytes = size_t{16} << 20, .depth = 8};

Json member_json(const Member& member) {
  const AgentSpec& spec = member.spec;
  return {{"name", spec.name},   {"role", spec.role},         {"cli", spec.cli},
          {"model", spec.model}, {"effort", spec.effort},     {"prompt", spec.prompt},
          {"cwd", spec.cwd},     {"worktree", spec.worktree}, {"session", member.session},
          {"run", member.run}};
}

// Reads each object of a list; anything else in it is an error.
template <typename Read>
void read_list(JsonMembers& in, const std::string& key, Read read) {
  const Json* list = in.find(key);
  if (list == nullptr) return;
  if (!list->is_array()) return in.fail(key, "must be an array");
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string place = key + "[" + std::to_string(i) + "]";
    if (!(*list)[i].is_object()) return in.fail(key, "must be an array of objects");
    JsonMembers each(in, (*list)[i], place);
    read(each);
  }
}

Member read_member(JsonMembers& in, std::string_view project) {
  Member member;
  AgentSpec& spec = member.spec;
  in.required("name", spec.name);
  in.optional("role", spec.role);
  in.required("cli", spec.cli);
  in.optional("model", spec.model);
  in.optional("effort", spec.effort);
  in.optional("prompt", spec.prompt);
  in.optional("cwd", spec.cwd);
  in.optional("worktree", spec.worktree);
  in.required("session", member.session);
  in.optional("run", member.run);
  if (!in.ok()) return member;
  if (!base::is_name(spec.name, kMaxAgent)) in.fail("name", "is no name");
  if (!base::is_name(spec.cli)) in.fail("cli", "is no name");
  const std::string begin = "orch-" + issue_of(project, spec.name) + "@";
  if (!member.session.starts_with(begin)) in.fail("session", "is not the agent's");
  return member;
}

}  // namespace

std::string to_json(const CrewState& state) {
  Json json{
      {"version", 1}, {"project", state.project}, {"manager", state.manager}, {"up", state.up}};
  Json agents = Json::array(), rules = Json::array();
  for (const Member& member : state.members) agents.push_back(member_json(member));
  for (const FlowRule& rule : state.flow.rules) {
    rules.push_back(
        {{"when", rule.agent}, {"says", rule.says}, {"nudge", rule.to}, {"text", rule.text}});
  }
  json["agents"] = std::move(agents);
  json["flow"] = {{"max_hops", state.flow.max_hops}};
  json["flow"]["rules"] = std::move(rules);
  return base::json_text(json);
}

base::Result<CrewState> crew_state_from_json(std::string_view text, std::string_view name) {
  JsonDocument document(name, text, base::JsonAuthor::kProgram, kLimits);
  CrewState state;
  {
    JsonMembers in(document);
    in.required("project", state.project);
    if (in.ok() && !base::is_name(state.project, kMaxProject)) in.fail("project", "is no name");
    in.optional("manager", state.manager);
    in.optional("up", state.up);
    read_list(in, "agents", [&state](JsonMembers& each) {
      state.members.push_back(read_member(each, state.project));
    });
    if (state.members.size() > kMaxAgents) in.fail("agents", "are too many");
    if (const Json* flow = in.find("flow"); flow != nullptr && flow->is_object()) {
      JsonMembers of_flow(in, *flow, "flow");
      of_flow.optional("max_hops", state.flow.max_hops);
      read_list(of_flow, "rules", [&state](JsonMembers& each) {
        FlowRule rule;
        each.required("when", rule.agent);
        each.required("says", rule.says);
        each.required("nudge", rule.to);
        each.required("text", rule.text);
        state.flow.rules.push_back(std::move(rule));
      });
    }
  }
  return document.finish(std::move(state));
}

Member* find_member(CrewState& state, std::string_view name) {
  const auto found = std::find_if(state.members.begin(), state.members.end(),
                                  [name](const Member& it) { return it.spec.name == name; });
  return found == state.members.end() ? nullptr : &*found;
}

const Member* find_member(const CrewState& state, std::string_view name) {
  return find_member(const_cast<CrewState&>(state), name);
}

}  // namespace orch::crew
