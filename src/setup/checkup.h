#pragma once

#include <map>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "base/json.h"
#include "base/result.h"
#include "fence/fence.h"

// What orch doctor looks at. Nothing of a login is opened, and nothing is left behind.
namespace orch::setup {

struct Finding {
  enum class State : uint8_t {
    kGood,
    kNote,  // orch works; something is missing, or not as it was tested
    kBad,   // nothing can be run before it is mended
  };
  State state = State::kGood;
  std::string area;         // "agents"
  std::string name;         // "claude"
  std::string text;         // what is so
  std::string remedy;       // what to do about it, in one line; "" where there is nothing to do
  base::Json details = {};  // beside these, for programs: an object, or null
};

// The agents of the registry, the versions that they said (installed_versions()), and whether a
// login of theirs can be seen; and whether there is any of them.
std::vector<Finding> check_agents(const adapters::Registry& agents,
                                  const std::map<std::string, std::string>& versions);

std::vector<Finding> check_fence(const fence::Offer& offer);
std::vector<Finding> check_managers();  // tmux, zellij, docker, podman
// The state directory, or why there is none; /proc and control groups.
std::vector<Finding> check_machine(const base::Result<std::string>& state_dir);

// All records of a state directory: what cannot be read, what died, what is left of it. Changes
// nothing. Beside runs that go on it may call one that is just starting or ending left over.
std::vector<Finding> check_records(const std::string& state_dir);

}  // namespace orch::setup
