#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "forge/github.h"

// One look at a pull request and the checks of a commit: one request of GraphQL. Pure.
namespace orch::forge {

// `oid`: the commit; `head`: the branch, of which `owner` is the owner of the repository that has
// it.
Words look_call(const RepositoryName& repository, const std::string& head, const std::string& oid);
base::Result<LookedAt> look_of(const base::Json& data, std::string_view owner);

// A further page of checks, which is added to the look; with the cursor "" the first one.
Words checks_call(const RepositoryName& repository, const std::string& oid,
                  const std::string& cursor);
base::Status add_checks(const base::Json& data, LookedAt& look);

// The log of a job of GitHub Actions. The answer's body is the log.
Words log_call(const RepositoryName& repository, int64_t job);

}  // namespace orch::forge
