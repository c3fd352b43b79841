#pragma once

#include <deque>
#include <memory>

namespace orch::loop {

class Loop;

// Runs work that may wait for a disk outside of the loop: in a thread of its own, one job after the
// other in the order of submission. If this is destroyed early, the jobs that have not begun are
// dropped; the one that has begun runs to its end, but on_done() is not called. Keeps Loop::run()
// running until all is done. A disk may never answer: the Loop's destructor waits kLastJobMs for
// jobs that have begun, after which they go on alone until the process ends.
class Background {
 public:
  class Job {
   public:
    virtual ~Job() = default;    // in the loop's thread, or in the job's if on_done() is not called
    virtual void run() = 0;      // in another thread: must touch only the job's own data
    virtual void on_done() = 0;  // in the loop's thread, after run(); may destroy the Background
  };

  explicit Background(Loop& loop);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // If the system has no thread for the job, it is done at once, and the loop waits for it.
  void submit(std::unique_ptr<Job> job);
  bool idle() const { return begun_ == nullptr; }

 private:
  friend class Jobs;
  struct Begun;
  void begin_next();
  void on_finished();

  Loop& loop_;
  std::deque<std::unique_ptr<Job>> waiting_;
  std::shared_ptr<Begun> begun_;  // shared with the thread of the job
};

}  // namespace orch::loop
