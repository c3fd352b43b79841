#pragma once

#include <string_view>

#include "policy/write_target.h"

namespace orch::policy {

// May a command give a variable this value? Not where programs take from it what they run, load or
// write: LD_PRELOAD, BASH_ENV, GIT_SSH_COMMAND, PAGER and the like. Others are the project's.
bool is_harmless_variable(std::string_view name, std::string_view value, const Whereabouts& where);
// The same for one that programs get: what it names they may write to.
bool is_harmless_export(std::string_view name, std::string_view value, const Whereabouts& where);

}  // namespace orch::policy
