#pragma once

#include <sys/types.h>

#include <cstddef>
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
#include "pty/stop_ladder.h"
#include "pty/transfer.h"

namespace orch::pty {

class Containment;
struct Started;

struct SpawnPlan {
  std::vector<std::string> argv;  // argv[0] is looked for along the PATH of env
  std::string cwd;                // "": that of this process
  std::vector<std::string> env;   // "K=V", the whole environment
  int cols = 120, rows = 40;
  Containment* run = nullptr;  // the run that the child is to belong to; null: none
};

// Starts the plan's program on `stdio`. Errors are those of spawn_child().
base::Result<Started> start_on(const SpawnPlan& plan, const ChildStdio& stdio);
// The same with `terminal` as standard input, output and error, and as controlling terminal.
base::Result<Started> start_on_terminal(const SpawnPlan& plan, int terminal);

// The present size of a terminal; either end of it can be asked.
struct TerminalSize {
  int cols = 0, rows = 0;
  bool operator==(const TerminalSize&) const = default;
};
TerminalSize size_of(int terminal);  // {0, 0} if it is gone
// The line discipline collects lines (ICANON): the program has not taken over the keyboard.
bool is_canonical(int terminal);
// The line discipline collects lines and does not echo them: a password is asked for.
bool asks_secret(int terminal);

// Called from the loop, never from inside a call to Pty. Either may destroy the Pty.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_output(std::string_view bytes) = 0;  // valid during the call; at most 64 KB
  // The last call: the child is reaped, and its terminal is at its end, or has been read for 2 s
  // since (a process that the child left behind may keep it open for ever).
  virtual void on_end(ExitStatus status) = 0;
};

// A child process on a pty of its own. Nothing here blocks, except the spawn (~1 ms) and the
// destructor, which kills and reaps a child that still lives.
class Pty {
 public:
  // Errors are those of spawn_child(). The observer must outlive the Pty.
  static base::Result<std::unique_ptr<Pty>> spawn(loop::Loop& loop, const SpawnPlan& plan,
                                                  Observer& observer);
  ~Pty();
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  pid_t pid() const { return child_.pid(); }  // 0 once the child is reaped

  // Types bytes. Bytes that the terminal does not take now are queued and follow in order; they are
  // dropped only when the terminal is gone. In canonical mode the kernel itself drops the part of a
  // line beyond 4095 bytes.
  void write(std::string bytes);
  size_t queued_bytes() const { return queue_.size(); }

  void resize(int cols, int rows);  // sends the child SIGWINCH if the size changes

  // While paused nothing is read, the child blocks when the kernel's buffer is full, and on_end()
  // waits.
  void pause_reading();
  void resume_reading();

  bool canonical() const { return is_canonical(master_.get()); }
  bool asks_secret() const { return pty::asks_secret(master_.get()); }

  void signal_group(int signum) { child_.signal_group(signum); }  // see Child

  // Ends the child step by step: types quit_keys and waits quit_ms (skipped if quit_keys is empty),
  // then SIGTERM and term_ms, then SIGKILL. A second call sends SIGKILL at once. on_end() reports
  // the end.
  void stop(std::string quit_keys, int64_t quit_ms, int64_t term_ms = StopTimes{}.term_ms);
  StopStep stop_step() const { return child_.stop_step(); }

 private:
  enum class Reading { kOn, kPaused, kAtEnd };
  enum class Phase {
    kRunning,
    kDraining,  // the child is reaped, but its output may still come
    kLastRead,  // the time for that is over; one more turn of the loop reads the rest
    kEnded,
  };

  Pty(loop::Loop& loop, base::Fd master, base::Fd slave, Started child, Observer& observer);
  void watch();
  void on_ready(int events);
  void on_readable();
  void on_reaped(ExitStatus status);
  void on_drain_deadline();
  void await_end(int64_t delay_ms);
  void end();

  Observer& observer_;
  loop::WatchedFd master_;
  // Kept open until the child is reaped: a child that closes its terminal may reopen it.
  base::Fd slave_;
  loop::Timer drain_;
  Reading reading_ = Reading::kOn;
  Phase phase_ = Phase::kRunning;
  ExitStatus status_;
  WriteQueue queue_;
  Child child_;
};

}  // namespace orch::pty
