#include "crew/crew_state.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/name.h"

namespace orch::crew {
namespace {

using base::Json;
using base::JsonDocument;
using base::JsonMembers;

constexpr base::JsonLimits kLimits{.bytes = size_t{16} << 20, .depth = 8};

constexpr auto kMemberFields = [](auto& in, auto& member) {
  in.required("name", member.spec.name);
  in.optional("role", member.spec.role);
  in.required("cli", member.spec.cli);
  in.optional("model", member.spec.model);
  in.optional("effort", member.spec.effort);
  in.optional("prompt", member.spec.prompt);
  in.optional("cwd", member.spec.cwd);
  in.optional("worktree", member.spec.worktree);
  in.required("session", member.session);
  in.optional("run", member.run);
};

constexpr auto kRuleFields = [](auto& in, auto& rule) {
  in.required("when", rule.agent);
  in.required("says", rule.says);
  in.required("nudge", rule.to);
  in.required("text", rule.text);
};

constexpr auto kFlowFields = [](auto& in, auto& flow) {
  in.optional("max_hops", flow.max_hops);
  in.list("rules", flow.rules, kRuleFields);
};

constexpr auto kStateFields = [](auto& in, auto& state) {
  in.required("project", state.project);
  in.optional("manager", state.manager);
  in.optional("up", state.up);
  in.list("agents", state.members, kMemberFields);
  in.object("flow", state.flow, kFlowFields);
};

// Agents may change the file, so it may contain only valid names, and sessions of its own agents.
void check_names(const CrewState& state, JsonMembers& in) {
  if (!base::is_name(state.project, kMaxProject)) in.fail("project", "is not a name");
  if (state.members.size() > kMaxAgents) in.fail("agents", "are too many");
  for (size_t i = 0; i < state.members.size(); ++i) {
    const Member& member = state.members[i];
    const std::string place = "agents[" + std::to_string(i) + "].";
    if (!base::is_name(member.spec.name, kMaxAgent)) in.fail(place + "name", "is not a name");
    if (!base::is_name(member.spec.cli)) in.fail(place + "cli", "is not a name");
    const std::string begin = "orch-" + issue_of(state.project, member.spec.name) + "@";
    if (!member.session.starts_with(begin)) in.fail(place + "session", "is not the agent's");
  }
}

}  // namespace

std::string to_json(const CrewState& state) {
  Json json{{"version", 1}};
  base::JsonWriter out(json);
  kStateFields(out, state);
  return base::json_text(json);
}

base::Result<CrewState> crew_state_from_json(std::string_view text, std::string_view name) {
  JsonDocument document(name, text, base::JsonAuthor::kProgram, kLimits);
  CrewState state;
  {
    JsonMembers in(document);
    kStateFields(in, state);
    if (in.ok()) check_names(state, in);
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
