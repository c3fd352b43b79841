#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::crew {

// Project and agent stand, with "crew-" and two dashes, in the name of an agent's session, which
// may have 64 characters.
inline constexpr size_t kMaxProject = 28;
inline constexpr size_t kMaxAgent = 28;
inline constexpr size_t kMaxAgents = 16;
inline constexpr size_t kMaxSpecBytes = size_t{1} << 20;

// One agent of a crew file. Names are valid, and texts that must not be empty are not.
struct AgentSpec {
  std::string name;  // base::is_name()
  std::string role;  // one line, for people
  std::string cli;   // name of a manifest: claude, codex
  std::string model, effort;
  std::string prompt;  // its first message: its role in this crew
  // a file that holds the prompt instead, as the crew file has it; "" for none
  std::string prompt_file;
  std::string cwd;        // as the crew file has it; "": the project's folder
  bool worktree = false;  // it works in a folder and on a branch of its own
  bool operator==(const AgentSpec&) const = default;
};

// When `agent` ends a turn that had a line with `says` in its output, `to` is nudged with `text`.
struct FlowRule {
  std::string agent, says, to, text;
  bool operator==(const FlowRule&) const = default;
};
struct FlowSpec {
  std::vector<FlowRule> rules;
  // How many nudges by rules and messages between agents may follow each other before a user says
  // something again.
  int max_hops = 100;
  bool operator==(const FlowSpec&) const = default;
};

struct CrewSpec {
  std::string project;
  std::vector<AgentSpec> agents;
  FlowSpec flow;
  bool operator==(const CrewSpec&) const = default;
};

// Reads a crew file (docs/crew.md). Errors are usage errors: "crew.yaml:LINE:COLUMN: ...".
base::Result<CrewSpec> read_crew(std::string_view yaml, std::string_view name);

// Returns nullptr if there is none.
const AgentSpec* find_agent(const CrewSpec& crew, std::string_view name);

// The issue of an agent's run in the crew: "crew-shop-planner".
std::string issue_of(std::string_view project, std::string_view agent);
std::string crew_name(std::string_view project);  // "crew-shop"

}  // namespace orch::crew
