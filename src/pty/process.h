#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"
#include "pty/child.h"
#include "pty/spawn.h"
#include "pty/transfer.h"

namespace orch::pty {

enum class ErrorOutput {
  kSeparate,  // passed to on_error_output()
  kMerged,    // passed to on_output(), in the order of writing
};

struct ProcessPlan {
  std::vector<std::string> argv;  // argv[0] is looked for along the PATH of env
  std::string cwd;                // "": that of this process
  std::vector<std::string> env;   // "K=V", the whole environment
  std::string input;              // all of its standard input
  ErrorOutput error_output = ErrorOutput::kSeparate;
  int cgroup_entrance = -1;  // this and parent_death: see spawn_child()
  ParentDeath parent_death = ParentDeath::kOutlive;
};

// As pty::Observer: called from the loop, each call may destroy the Process, and on_end() is the
// last.
class ProcessObserver {
 public:
  virtual ~ProcessObserver() = default;
  virtual void on_output(std::string_view bytes) = 0;
  virtual void on_error_output(std::string_view bytes) = 0;
  // The process is reaped, and both pipes are at their end or 2 s have passed; or it could not be
  // ended, and is left.
  virtual void on_end(ExitStatus status) = 0;
};

// A child process on pipes, without a terminal: headless agents and tools such as git. The
// destructor kills and reaps a process that still lives.
class Process {
 public:
  // Errors are those of spawn_child(). The observer must outlive the Process.
  static base::Result<std::unique_ptr<Process>> spawn(loop::Loop& loop, ProcessPlan plan,
                                                      ProcessObserver& observer);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return child_.pid(); }  // 0 once reaped
  void signal_group(int signum) { child_.signal_group(signum); }
  // Sends SIGTERM, then SIGKILL; a second call sends SIGKILL at once.
  void stop(int64_t term_ms = StopTimes{}.term_ms);

  // While paused nothing is read, the child blocks when a pipe is full, and on_end() waits.
  void pause_reading();
  void resume_reading();

 private:
  using Deliver = void (ProcessObserver::*)(std::string_view);
  enum class Reading { kOn, kPaused };
  enum class Phase { kRunning, kDraining, kLastRead };  // as in Pty

  Process(loop::Loop& loop, pid_t pid, base::Fd in, base::Fd out, base::Fd err, std::string input,
          ProcessObserver& observer);
  void watch(loop::WatchedFd& pipe, Deliver deliver);
  void feed_input();
  void on_readable(loop::WatchedFd& pipe, Deliver deliver);
  void on_reaped(ExitStatus status);
  void on_drain_deadline();
  void await_end(int64_t delay_ms);
  void end_if_done();
  void end();

  ProcessObserver& observer_;
  loop::WatchedFd in_, out_, err_;  // each is closed at its end
  WriteQueue input_;
  loop::Timer drain_;
  Reading reading_ = Reading::kOn;
  Phase phase_ = Phase::kRunning;
  ExitStatus status_;
  Child child_;
};

}  // namespace orch::pty
