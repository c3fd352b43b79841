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

// A child that has ended and whose watch has not told of it for so long was lost by it.
inline constexpr int64_t kLostMs = 100;

// The second witness of the ends of a loop's children: SIGCHLD wakes the process whatever becomes
// of a descriptor. What the watch of a child has not told of within kLostMs is told then, and an
// error in the log says so, for no run may wait for ever on a wake-up that was lost. And it reaps
// the children that their owners could not wait for.
class Children {
 public:
  explicit Children(Loop& loop);
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  void add(pid_t pid, ChildWatch& watch);
  void remove(pid_t pid);
  bool watches(pid_t pid) const { return watched_.contains(pid); }

  // Reaps this child, which was killed, once it has ended, however long that takes.
  void reap_later(pid_t pid);

 private:
  struct Watched {
    ChildWatch* watch = nullptr;
    std::optional<int64_t> ended_at_ms;  // when it was first seen to have ended
    bool is_late = false;                // the loop shall look once more at what it is told
  };
  void listen();
  void look_in(int64_t ms);
  void on_sigchld();
  void note_ended();
  void tell_lost();

  Loop& loop_;
  std::map<pid_t, Watched> watched_;
  std::set<pid_t> left_;  // to be reaped
  std::unique_ptr<SignalWatch> on_sigchld_;
  std::unique_ptr<Timer> look_;
};

}  // namespace orch::loop
