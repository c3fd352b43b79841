#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"

namespace orch::pty {

// The folder of the control group (version 2) that this process is in; "" if there is none.
std::string own_cgroup();
std::string cgroup_of(pid_t pid);  // the same for another process

// Moves this process out of the groups of all runs that it is in, so that it is not killed with one
// of them.
void leave_run_cgroups();

// The groups of runs that this process's user has made, wherever they are, each with the run's id.
// Searches the whole tree of this machine's groups, which takes some milliseconds.
struct RunGroup {
  std::string run_id;
  std::string path;
};
std::vector<RunGroup> own_run_groups();
// The same in this folder of groups, while others in it are made and removed.
std::vector<RunGroup> own_run_groups_in(const std::string& tree);

// Removes the group at `path` and those below it, unless a process lives in one; true: it is gone.
bool remove_cgroup(const std::string& path);

// The control group of one run, "<run id>.orch" below another group: a process that is started in
// it stays in it, whatever it does to its environment, session or parents (cgroups(7)). Best
// effort: if the system has no version 2, or does not allow it, the run does without a group;
// otherwise the group contains the processes that could be moved into it.
class Cgroup {
 public:
  // Makes the group; null if it cannot be made.
  static std::unique_ptr<Cgroup> create(const std::string& parent, std::string_view run_id);
  // A group that another process has made; null if there is none.
  static std::unique_ptr<Cgroup> find(const std::string& parent, std::string_view run_id);
  // The same wherever the group is: for a run whose host is gone and cannot be asked for its own
  // group. Searches the whole tree of this machine's groups, which takes some milliseconds.
  static std::unique_ptr<Cgroup> find_anywhere(std::string_view run_id);
  // Removes it by remove_cgroup(), and gives killed processes some milliseconds to leave it.
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  const std::string& path() const { return path_; }
  // The group is not removed by the destructor any more, but by the caller; returns its path.
  std::string leave();
  // A process that writes "0" to it enters the group; invalid if the group is gone.
  base::Fd entrance() const;
  std::vector<pid_t> processes() const;  // those of the groups below it, too
  // Whether somebody has frozen the group, or a run's group around it (cgroup.freeze): a process
  // that enters it then stops at once, in the middle of its start.
  bool is_frozen() const;
  void kill() const;  // by SIGKILL, all at once (Linux 5.14); does nothing before

 private:
  explicit Cgroup(std::string path) : path_(std::move(path)) {}

  std::string path_;
  bool left_ = false;  // to the caller of leave()
};

}  // namespace orch::pty
