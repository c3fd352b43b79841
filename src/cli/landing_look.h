#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "repo/landing.h"

namespace orch::cli {

// Reasons for a user to look before a landing is published, one phrase each: secrets and large
// files among `files`, the changes from `since` to `result`; among the contents of earlier commits;
// and in the commits' messages. Paths in `allowed` are left out.
base::Result<std::vector<std::string>> reasons_to_look(const repo::LandingRepository& git,
                                                       const std::string& since,
                                                       const std::string& result,
                                                       const std::vector<repo::ChangedFile>& files,
                                                       const std::vector<std::string>& allowed);

}  // namespace orch::cli
