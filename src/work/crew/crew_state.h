#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crew/crew_spec.h"

namespace orch::crew {

// An agent of a crew that was brought up.
struct Member {
  AgentSpec spec;       // its prompt is the text that it got or will get; prompt_file is empty
  std::string session;  // the key of its session
  std::string run;      // its newest run; "": it was never started
  bool operator==(const Member&) const = default;
};

// .crew/state.json: the members of the crew, so that any process can find its sessions and a new
// host can start agents that are missing. The file lies where the agents work, so they may change
// it. It only names agents to start; permissions are never taken from it.
struct CrewState {
  std::string project;
  std::string manager;  // native, tmux
  bool up = false;      // false: the crew was taken down, and its agents begin anew next time
  std::vector<Member> members;
  FlowSpec flow;
  bool operator==(const CrewState&) const = default;
};

std::string to_json(const CrewState& state);  // indented, with a final line feed
base::Result<CrewState> crew_state_from_json(std::string_view text, std::string_view name);

Member* find_member(CrewState& state, std::string_view name);  // nullptr if there is none
const Member* find_member(const CrewState& state, std::string_view name);

}  // namespace orch::crew
