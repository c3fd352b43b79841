#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "agent/dialog_request.h"
#include "policy/policy_rule.h"

namespace orch::policy {

// The options that an answer chooses, as agent::Answer has them: the only one that means `answer`.
// Of tick boxes none is ticked to deny. Nothing if there is no such option, or more than one.
std::optional<std::vector<size_t>> options_for(const agent::DialogRequest& request, Answer answer);

}  // namespace orch::policy
