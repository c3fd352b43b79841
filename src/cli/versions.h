#pragma once

#include <map>
#include <string>
#include <string_view>

#include "adapters/registry.h"

namespace orch::cli {

// The version that each installed agent says of itself, by agent; "" where it does not say one
// within ten seconds. All are asked at once. What is part of this binary is not asked.
std::map<std::string, std::string> installed_versions(const adapters::Registry& agents);

// The first dotted number in what a program printed: "2.1.197 (Claude Code)" has 2.1.197.
std::string version_in(std::string_view text);

// Compares dotted numbers, number by number.
bool is_newer(std::string_view version, std::string_view than);

}  // namespace orch::cli
