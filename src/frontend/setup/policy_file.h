#pragma once

#include <string>

#include "base/result.h"
#include "policy/policy.h"

namespace orch::setup {

// The policy of `--approve WORD`: none, all or a file of rules, which must be trusted if an agent
// could have written it (read_rules in setup/repository.h). An error names the word as it was
// given.
base::Result<policy::Policy> read_policy(const std::string& word, const std::string& repository);

}  // namespace orch::setup
