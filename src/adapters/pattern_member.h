#pragma once

#include <string>

#include "base/json_members.h"

namespace orch::adapters {

// An RE2 expression is compiled when it is read, so that the error names the field.
void check_pattern(base::JsonMembers& in, const std::string& key, const std::string& expression);
void read_pattern(base::JsonMembers& in, const std::string& key, std::string& out);

}  // namespace orch::adapters
