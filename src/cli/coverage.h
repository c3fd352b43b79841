#pragma once

#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"

namespace orch::cli {

// Prints the findings of a manifest's rules in recordings: the statuses, if there is one recording,
// and for each rule how often it decided, and how long none did.
base::Status print_coverage(const std::vector<std::string>& recordings,
                            const adapters::Manifest& manifest);

}  // namespace orch::cli
