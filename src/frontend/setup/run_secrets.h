#pragma once

#include <string>
#include <vector>

#include "mask/secrets.h"

namespace orch::setup {

// The variables that --env gives to the agent (`given`: NAME or NAME=VALUE each), then those of
// this process's environment.
std::vector<mask::Variable> variables_of(const std::vector<std::string>& given);

// The values in `given` that are secret.
std::vector<std::string> values_of_user(const std::vector<std::string>& given);

// The secrets that no record or output of the run may contain.
mask::Secrets secrets_of(const std::vector<std::string>& given);

}  // namespace orch::setup
