#pragma once

#include <map>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "base/json.h"
#include "base/result.h"
#include "fence/fence.h"

// The checks of orch doctor. They open no file of a login, and leave nothing behind.
namespace orch::setup {

struct Finding {
  enum class State : uint8_t {
    kGood,
    kNote,  // orch works, but something is missing, or differs from the tested version
    kBad,   // no agent can be run before it is corrected; a record is damaged
  };
  State state = State::kGood;
  std::string area;         // "agents"
  std::string name;         // "claude"
  std::string text;         // the finding itself
  std::string remedy;       // one line; "" if nothing needs to be done
  base::Json details = {};  // further members of the JSON output: an object, or null
};

// Checks each agent of the registry: its version (`versions`: see installed_versions()) and whether
// a login can be found. Also whether there is any agent at all.
std::vector<Finding> check_agents(const adapters::Registry& agents,
                                  const std::map<std::string, std::string>& versions);

std::vector<Finding> check_fence(const fence::Offer& offer);
std::vector<Finding> check_managers();  // tmux, zellij, docker, podman
// Checks the state directory, /proc and control groups.
std::vector<Finding> check_machine(const base::Result<std::string>& state_dir);

// Checks all records of a state directory for unreadable files, dead runs and sessions, and their
// leftovers. Changes nothing. A run that is just starting or ending at the same time may be
// reported as left over.
std::vector<Finding> check_records(const std::string& state_dir);

}  // namespace orch::setup
