#pragma once

#include <string>

#include "base/json_fwd.h"

namespace orch::adapters {

// A person's RE2 expression is compiled when it is read, so that the error names the field. Our own
// are compiled by a test, and here when they are used.
void check_pattern(base::JsonMembers& in, const std::string& key, const std::string& expression);
void read_pattern(base::JsonMembers& in, const std::string& key, std::string& out);

}  // namespace orch::adapters
