#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crew/crew_spec.h"

namespace orch::crew {

// An agent of a crew that was brought up.
struct Member {
  AgentSpec spec;       // its prompt is the text that it was, or is, told; prompt_file is empty
  std::string session;  // the key of its session
  std::string run;      // the newest; "": it was never started
  bool operator==(const Member&) const = default;
};

// .crew/state.json: who is in the crew, so that any process can find its sessions, and a new host
// can bring back who is missing. It lies where the agents work, who may change it: it names what is
// to be started, and what that may do without being asked is never taken from it.
struct CrewState {
  std::string project;
  std::string manager;  // native, tmux
  bool up = false;      // false: it was taken down; its agents begin anew
  std::vector<Member> members;
  FlowSpec flow;
  bool operator==(const CrewState&) const = default;
};

std::string to_json(const CrewState& state);  // indented, with a final line feed
base::Result<CrewState> crew_state_from_json(std::string_view text, std::string_view name);

Member* find_member(CrewState& state, std::string_view name);  // nullptr: none
const Member* find_member(const CrewState& state, std::string_view name);

}  // namespace orch::crew
