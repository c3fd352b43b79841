#pragma once

#include <deque>
#include <memory>

namespace orch::loop {

class Loop;

// Work that may wait for a disk, done beside the loop: in a thread of libuv's pool, one job after
// the other in the order in which they were submitted. Destroyed early it drops the jobs that were
// not begun; the one that was begun is run to its end, and nobody is told. Keeps Loop::run()
// running until all is done; the Loop's destructor waits for what was begun.
class Background {
 public:
  class Job {
   public:
    virtual ~Job() = default;    // in the loop's thread
    virtual void run() = 0;      // in another thread: it touches only what the job owns
    virtual void on_done() = 0;  // in the loop's thread, after run(); may destroy the Background
  };

  explicit Background(Loop& loop);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void submit(std::unique_ptr<Job> job);
  bool idle() const { return begun_ == nullptr; }

 private:
  struct Begun;
  static void finish(Begun* begun) noexcept;
  void begin_next();

  Loop& loop_;
  std::deque<std::unique_ptr<Job>> waiting_;
  Begun* begun_ = nullptr;  // owned by libuv until it is done
};

}  // namespace orch::loop
