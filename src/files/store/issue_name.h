#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::store {

// Issues and agents have names of the form [A-Za-z0-9][A-Za-z0-9_-]{0,63}. Every name that becomes
// part of a path, a socket or another program's arguments is checked here first; the usage error
// says why a name is invalid.
base::Status check_issue_name(std::string_view name);

std::string session_name(std::string_view issue);  // "orch-<issue>"

}  // namespace orch::store
