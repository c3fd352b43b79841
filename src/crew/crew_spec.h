#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::crew {

// With "crew-" and two dashes both stand in the name of an agent's session, which takes 64.
inline constexpr size_t kMaxProject = 28;
inline constexpr size_t kMaxAgent = 28;
inline constexpr size_t kMaxAgents = 16;
inline constexpr size_t kMaxSpecBytes = size_t{1} << 20;

// Whom a crew holds: names are checked, texts are not empty where they must not be.
struct AgentSpec {
  std::string name;  // base::is_name()
  std::string role;  // one line, for people
  std::string cli;   // the name of a manifest: claude, codex
  std::string model, effort;
  std::string prompt;       // what it is told first: who it is here
  std::string prompt_file;  // the file that says so instead, as it was written; "" for none
  std::string cwd;          // as it was written; "": the project's folder
  bool worktree = false;    // it works in a folder and on a branch of its own
  bool operator==(const AgentSpec&) const = default;
};

// When `agent` ends a turn in which a line of its words holds `says`, `to` is nudged with `text`.
struct FlowRule {
  std::string agent, says, to, text;
  bool operator==(const FlowRule&) const = default;
};
struct FlowSpec {
  std::vector<FlowRule> rules;
  // Nudges by rules, and messages of agents, one after another without a person's word between.
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

const AgentSpec* find_agent(const CrewSpec& crew, std::string_view name);  // nullptr: none

// The issue under which an agent of the crew runs: "crew-shop-planner".
std::string issue_of(std::string_view project, std::string_view agent);
std::string crew_name(std::string_view project);  // "crew-shop"

}  // namespace orch::crew
