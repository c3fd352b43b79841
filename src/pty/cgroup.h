#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"

namespace orch::pty {

// The folder of the control group (version 2) that this process is in; "" where there is none.
std::string own_cgroup();
std::string cgroup_of(pid_t pid);  // the same of another process

// Moves this process out of every run's group that it is in, so that the end of such a run is not
// its own.
void leave_run_cgroups();

// The groups of runs that this process's user made, wherever they are, each with the run's id.
// Looks through the whole tree of this machine's groups, some milliseconds.
struct RunGroup {
  std::string run_id;
  std::string path;
};
std::vector<RunGroup> own_run_groups();

// Removes the group at `path` and those below it, unless a process lives there; true: it is gone.
bool remove_cgroup(const std::string& path);

// The control group of one run, "<run id>.orch" below another: what is started in it stays in it
// whatever it does to its environment, session or parents (cgroups(7)). Best effort: where the
// system has no version 2 or does not let us, there is none, and where there is one it holds those
// that could be moved into it.
class Cgroup {
 public:
  // Makes the group; null where it cannot be made.
  static std::unique_ptr<Cgroup> create(const std::string& parent, std::string_view run_id);
  // The group that another process made; null where there is none.
  static std::unique_ptr<Cgroup> find(const std::string& parent, std::string_view run_id);
  // The same wherever the group is: for a run whose host is gone, and so cannot be asked for its
  // own group. Looks through the whole tree of this machine's groups, some milliseconds.
  static std::unique_ptr<Cgroup> find_anywhere(std::string_view run_id);
  ~Cgroup();  // removes it as remove_cgroup() does; who was killed has some milliseconds to leave
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  const std::string& path() const { return path_; }
  // It is somebody else's to remove; returns where it is.
  std::string leave();
  int entrance() const { return entrance_.get(); }  // who writes "0" to it is in the group
  std::vector<pid_t> processes() const;             // of the groups below it, too
  // Somebody has stopped all that is in it, or in a run's group around it (cgroup.freeze): what
  // enters it stops at once, in the middle of its start.
  bool is_frozen() const;
  void kill() const;  // SIGKILL for all of them at once (Linux 5.14); without it, nothing

 private:
  Cgroup(std::string path, base::Fd entrance);

  std::string path_;
  bool left_ = false;  // to somebody else
  base::Fd entrance_;
};

}  // namespace orch::pty
