#pragma once

#include <cstddef>
#include <optional>

#include "agent/dialog_request.h"
#include "policy/policy_rule.h"

namespace orch::policy {

// The index of the only option that means `answer`; nothing if there is none or more than one.
std::optional<size_t> option_for(const agent::DialogRequest& request, Answer answer);

}  // namespace orch::policy
