#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "forge/repository_name.h"
#include "options/run_request.h"
#include "store/run_record.h"

namespace orch::cli {

// The exit code when a forge or the network does not answer: the same command may work later.
inline constexpr int kLater = 75;

// Reports the error of a command that asks a forge, and returns its exit code: 75 for one that may
// pass.
int report_forge(const base::Error& error);

// Replaces the words of a request that name issues of a forge (o/r#42, a URL) by the issues' names,
// and asks the forge for the texts of those issues that have neither a prompt nor a file. Says
// where each text is from. An issue of a forge gets a worktree, unless `given` says where it works.
base::Status take_issues(const std::set<std::string>& given, options::RunRequest& request);

// Where the work of a run in a worktree of this repository will land. Empty if git does not say.
store::RunBase run_base_of(const std::string& repository, const std::string& issue_repository);

// "github.com/o/r", and back.
std::string repository_text(const forge::RepositoryName& repository);
std::optional<forge::RepositoryName> repository_of_text(const std::string& text);

}  // namespace orch::cli
