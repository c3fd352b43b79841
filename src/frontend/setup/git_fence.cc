#include "setup/git_fence.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "base/child.h"
#include "base/fd.h"
#include "fence/fence.h"
#include "fence/landlock.h"
#include "fence/syscall_filter.h"
#include "fence/work_places.h"
#include "repo/folder_lock.h"
#include "setup/own_programs.h"
#include "setup/paths.h"
#include "store/file_io.h"

namespace orch::setup {
namespace {

using base::Result;
using base::Status;

// The folder of the repository's worktrees. It is created if it is missing, and this object's
// destructor removes it if it is empty then. A lock admits one process at a time, so that no other
// process removes a folder that was granted.
class WorktreesFolder {
 public:
  explicit WorktreesFolder(const std::string& repository)
      : turn_(repository), path_(repository + ".orch") {
    ::mkdir(path_.c_str(), 0777);  // a file in its place is refused as a grant
  }
  ~WorktreesFolder() { ::rmdir(path_.c_str()); }
  WorktreesFolder(const WorktreesFolder&) = delete;
  WorktreesFolder& operator=(const WorktreesFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  repo::FolderLock turn_;
  std::string path_;
};

Result<fence::Plan> plan_around(const std::string& repository, const std::string& worktrees) {
  fence::Offer offer;
  offer.landlock = fence::landlock_version();
  offer.seccomp = fence::has_syscall_filter();
  offer.root = ::geteuid() == 0;
  fence::Request request;
  request.work_dir = worktrees;
  const Result<std::string> state_dir = state_dir_of(std::nullopt);
  if (!state_dir) return state_dir.error();
  Result<std::vector<std::string>> git = fence::WorkPlaces(*state_dir).git_folders(repository);
  if (!git) return git.error();
  request.git = std::move(git).value();
  struct stat info {};
  const std::string own = repository + "/.git";
  if (::lstat(own.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) request.git.push_back(own);
  request.guarded = guarded_here(*state_dir);
  request.variables = [](std::string_view name) { return environment(std::string(name).c_str()); };
  request.scratch = worktrees;
  return fence::make_plan(offer, request);
}

// Never returns.
[[noreturn]] void work_inside(pid_t parent, const fence::Plan& plan, const base::Fd& to,
                              const std::function<std::string()>& work) {
  constexpr int kNoFence = 1;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody else would end it and its git
  if (::getppid() != parent) ::_exit(kNoFence);
  if (const Status entered = fence::enter(plan); !entered) {
    (void)store::write_all(to, "a pipe", entered.error().text);
    ::_exit(kNoFence);
  }
  ::_exit(store::write_all(to, "a pipe", work()) ? 0 : kNoFence);
}

Result<std::string> carry_out(const fence::Plan& plan, const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return base::system_error("git", errno);
  const base::Fd from(ends[0]);
  base::Fd to(ends[1]);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return base::system_error("git", errno);
  if (child == 0) work_inside(parent, plan, to, work);
  to.reset();
  std::string said = base::read_to_end(from);
  const int status = base::end_of(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said;
  return base::Error{base::ErrorCode::kSystem,
                     "git, in a fence of its own: " +
                         (said.empty() ? std::string("it did not end by itself") : said)};
}

}  // namespace

Result<std::string> in_git_fence(const std::string& repository,
                                 const std::function<std::string()>& work) {
  if (fence::landlock_version() == 0) return work();
  const WorktreesFolder worktrees(repository);
  const Result<fence::Plan> plan = plan_around(repository, worktrees.path());
  if (!plan) return plan.error();
  return carry_out(*plan, work);
}

Result<std::string> read_in_git_fence(const std::string& repository,
                                      const std::function<std::string()>& read) {
  const Result<fence::Plan> plan = plan_around(repository, repository);
  if (!plan || fence::landlock_version() == 0) return read();
  return carry_out(*plan, read);
}

Status look_in_git_fence(const std::string& repository, const std::function<Status()>& look) {
  constexpr char kRefused = 'r', kFailed = 'f';
  const Result<std::string> said = read_in_git_fence(repository, [&look] {
    const Status seen = look();
    if (seen) return std::string();
    return (seen.error().code == base::ErrorCode::kUsage ? kRefused : kFailed) + seen.error().text;
  });
  if (!said) return said.error();
  if (said->empty()) return base::Ok{};
  if (said->front() == kRefused) return base::usage_error(said->substr(1));
  return base::Error{base::ErrorCode::kSystem, said->substr(1)};
}

}  // namespace orch::setup
