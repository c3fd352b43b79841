#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace orch::adapters {

// How it can be seen from outside that the agent can reach its model: any of these is there.
// Nothing of it is ever opened or shown.
struct LoginSpec {
  std::vector<std::string> variables;  // names of the environment
  std::vector<std::string> files;      // paths as FenceSpec's
  std::string how;                     // what a person does about it; one line
  bool any() const { return !variables.empty() || !files.empty(); }
};

void read_login(base::JsonMembers& parent, LoginSpec& login);

}  // namespace orch::adapters
