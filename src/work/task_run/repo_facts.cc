#include "task_run/repo_facts.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "repo/git_head.h"
#include "repo/git_program.h"

namespace orch::task_run {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostEntries = 1'000;

}  // namespace

task::RepoFacts repo_facts(const std::string& repo) {
  task::RepoFacts facts;
  facts.head = repo::git_head(repo);
  if (!facts.head.empty()) {
    const base::Result<repo::GitAnswer> branch =
        repo::run_git({{"symbolic-ref", "--short", "-q", "HEAD"}, repo, ""});
    if (branch && branch->code == 0) facts.branch = base::printable(base::trim(branch->out));
  }
  std::error_code failure;
  for (fs::directory_iterator entry(repo, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code unknown;
    std::string name = base::printable(entry->path().filename().string());
    if (name == ".git") continue;
    if (entry->is_directory(unknown) && !entry->is_symlink(unknown)) name += '/';
    facts.entries.push_back(std::move(name));
    if (facts.entries.size() == kMostEntries) break;
  }
  std::sort(facts.entries.begin(), facts.entries.end());
  return facts;
}

}  // namespace orch::task_run
