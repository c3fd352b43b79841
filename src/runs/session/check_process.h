#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"
#include "pty/child.h"
#include "pty/containment.h"

namespace orch::session {

struct CheckPlan {
  std::vector<std::string> argv;
  std::string cwd;
  std::vector<std::string> env;  // the whole environment, "K=V"
  int64_t timeout_ms = 0;
};

// A process that checks the agent's work. It belongs to the run, but is not the agent. It has no
// terminal; its standard input and output are /dev/null, and its standard error is passed on. Its
// descendants are killed when it ends. It ends at its time limit or with this object at the latest.
class CheckProcess {
 public:
  struct End {
    int code = 0;  // the exit code as a shell has it: 128 + n for signal n
    bool timed_out = false;
    int64_t ms = 0;
    pid_t left = 0;  // not 0: the pid of its process, which could not be ended
  };
  // `containment` holds only this process and its descendants. Errors are those of pty::start_on().
  // Both functions are called from the loop; `on_end` once, as the last, and it may destroy this.
  static base::Result<std::unique_ptr<CheckProcess>> start(
      loop::Loop& loop, const CheckPlan& plan, pty::Containment containment,
      std::function<void(std::string_view)> on_output, std::function<void(End)> on_end);
  ~CheckProcess();
  CheckProcess(const CheckProcess&) = delete;
  CheckProcess& operator=(const CheckProcess&) = delete;

 private:
  CheckProcess(loop::Loop& loop, std::unique_ptr<pty::Containment> containment, base::Fd output,
               pty::Started child, int64_t timeout_ms,
               std::function<void(std::string_view)> on_output, std::function<void(End)> on_end);
  void on_readable();
  void on_time_limit();
  void on_reaped(pty::ExitStatus status);
  void end_if_done();
  void end();

  loop::Loop& loop_;
  int64_t started_ms_;
  std::unique_ptr<pty::Containment> containment_;
  loop::WatchedFd output_;  // its standard error; closed at its end
  loop::Timer timer_;       // the time limit, then kDrainMs
  std::function<void(std::string_view)> on_output_;
  std::function<void(End)> on_end_;
  bool reaped_ = false;
  End end_;
  std::unique_ptr<pty::Child> child_;
};

}  // namespace orch::session
