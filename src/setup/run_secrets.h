#pragma once

#include <string>
#include <vector>

#include "mask/secrets.h"

namespace orch::setup {

// The variables of this process's environment, and those that --env gives the agent (`given`: NAME
// or NAME=VALUE each), which come first.
std::vector<mask::Variable> variables_of(const std::vector<std::string>& given);

// What of `given` is secret.
std::vector<std::string> values_of_user(const std::vector<std::string>& given);

// The values among them that no record or output of the run may hold.
mask::Secrets secrets_of(const std::vector<std::string>& given);

}  // namespace orch::setup
