#pragma once

#include <string_view>

#include "policy/write_target.h"

namespace orch::policy {

// Whether a command may give the variable this value. It may not if the variable makes programs
// run, load or write something: LD_PRELOAD, BASH_ENV, GIT_SSH_COMMAND, PAGER and the like. Other
// variables belong to the project.
bool is_harmless_variable(std::string_view name, std::string_view value, const Whereabouts& where);
// The same for a variable that programs get: they may also write to a path in its value.
bool is_harmless_export(std::string_view name, std::string_view value, const Whereabouts& where);

}  // namespace orch::policy
