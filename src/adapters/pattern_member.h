#pragma once

#include <string>

#include "base/json_fwd.h"

namespace orch::adapters {

// Checks or reads a member that is an RE2 expression. An expression from the user is compiled here,
// so that an error names the field. Those of the binary's own manifests are compiled by a test
// instead, and when they are used.
void check_pattern(base::JsonMembers& in, const std::string& key, const std::string& expression);
void read_pattern(base::JsonMembers& in, const std::string& key, std::string& out);

}  // namespace orch::adapters
