#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <set>

struct uv_loop_s;

namespace orch::loop {

class ChildWatch;

// The reactor: one thread, one per process. Everything that waits (Timer, SignalWatch, FdWatch,
// ChildWatch) is made on a Loop, must be destroyed before it, and calls back from inside run()
// only. A callback may destroy whatever it likes, the object that called it included, but not the
// Loop. Making a Loop sets SIGPIPE to ignored: a write to a closed peer is EPIPE, not the end of
// the process.
class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void
  run();  // until stop(), or until nothing started is left but signal watches; may be called again
  void stop();  // run() returns once the callback that is being called has returned

  // Milliseconds of the monotonic clock, read at the call. A Timer never fires before its time by
  // it.
  int64_t now_ms() const;

  // Whether a ChildWatch waits for this pid: such a child is reaped by its owner and by nobody
  // else.
  bool watches_child(pid_t pid) const { return watched_children_.contains(pid); }

  uv_loop_s* uv() const { return uv_.get(); }  // for the classes of this folder

 private:
  friend class ChildWatch;
  struct Close {
    void operator()(uv_loop_s* loop) const noexcept;
  };
  std::unique_ptr<uv_loop_s, Close> uv_;
  std::set<pid_t> watched_children_;
};

}  // namespace orch::loop
