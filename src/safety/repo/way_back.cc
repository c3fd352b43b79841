#include "repo/way_back.h"

#include "base/replace.h"
#include "base/text.h"
#include "repo/git_head.h"
#include "repo/git_places.h"

namespace orch::repo {
namespace {

constexpr size_t kMostHeadBytes = 4096;

// The branch that HEAD names, "refs/heads/main"; "" if it names a commit.
std::string branch_of_head(const std::string& head) {
  constexpr std::string_view kReference = "ref:";
  if (!head.starts_with(kReference)) return "";
  return std::string(base::trim(std::string_view(head).substr(kReference.size())));
}

}  // namespace

std::string way_back(const Manifest& manifest, const KeptBytes& bytes) {
  const GitFolder git = git_folder_of(manifest.work_dir);
  if (git.own.empty()) return "";
  const auto then = [&](const std::string& path, size_t max_bytes) {
    return kept_text(manifest, bytes, path, max_bytes);
  };
  const std::string commit = git_head(git, then);
  const std::string head = git.own + "/HEAD";
  const std::string branch = branch_of_head(then(head, kMostHeadBytes).value_or(""));
  const bool same_branch = branch == branch_of_head(git_file(head, kMostHeadBytes).value_or(""));
  if (commit.empty() || (same_branch && commit == git_head(git, git_file))) return "";
  const std::string call = "git -C " + base::shell_word(manifest.work_dir);
  std::string reset = call + " reset " + commit;
  if (same_branch) return reset;
  if (branch.empty()) return call + " update-ref --no-deref HEAD " + commit + " && " + reset;
  return call + " symbolic-ref HEAD " + base::shell_word(branch) + " && " + reset;
}

}  // namespace orch::repo
