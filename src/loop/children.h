#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace orch::loop {

class ChildWatch;
class Loop;
class SignalWatch;
class Timer;

// If a child's end has not been reported by its watch for this long, the wake-up was lost.
inline constexpr int64_t kLostMs = 100;

// A second source for the ends of a loop's children: SIGCHLD wakes the process whatever happens to
// a descriptor. An end that the child's watch has not reported within kLostMs is reported then,
// with an error in the log, so that no run waits for ever because of a lost wake-up. Also reaps the
// children that their owners could not wait for.
class Children {
 public:
  explicit Children(Loop& loop);
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  void add(pid_t pid, ChildWatch& watch);
  void remove(pid_t pid);
  bool watches(pid_t pid) const { return watched_.contains(pid); }

  // Reaps this child, which was killed, when it has ended, however long that takes.
  void reap_later(pid_t pid);

 private:
  struct Watched {
    ChildWatch* watch = nullptr;
    std::optional<int64_t> ended_at_ms;  // when it was first seen to have ended
    bool is_late = false;                // the loop gets one more turn to report the end
  };
  void listen();
  void look_in(int64_t ms);
  void on_sigchld();
  void note_ended();
  void tell_lost();

  Loop& loop_;
  std::map<pid_t, Watched> watched_;
  std::set<pid_t> left_;  // children that are still to be reaped
  std::unique_ptr<SignalWatch> on_sigchld_;
  std::unique_ptr<Timer> look_;
};

}  // namespace orch::loop
