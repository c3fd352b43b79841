#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "agent/dialog_request.h"
#include "policy/policy_rule.h"

namespace orch::policy {

// The options to choose in the form of agent::Answer: the only one that means `answer`. To deny in
// a dialog of tick boxes, none is ticked. nullopt if no option, or more than one, means `answer`.
std::optional<std::vector<size_t>> options_for(const agent::DialogRequest& request, Answer answer);

}  // namespace orch::policy
