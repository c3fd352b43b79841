#pragma once

#include <cstddef>
#include <optional>

#include "agent/dialog_request.h"
#include "policy/policy_rule.h"

namespace orch::policy {

// The one option that means `answer`. Nothing when none does or several do.
std::optional<size_t> option_for(const agent::DialogRequest& request, Answer answer);

}  // namespace orch::policy
