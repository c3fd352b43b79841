#pragma once

#include <deque>
#include <memory>

namespace orch::loop {

class Loop;

// Work that may wait for a disk, done beside the loop: in a thread of its own, one job after the
// other in the order in which they were submitted. Destroyed early it drops the jobs that were not
// begun; the one that was begun is run to its end, and nobody is told. Keeps Loop::run() running
// until all is done. A disk may never answer: the Loop's destructor gives what was begun
// kLastJobMs, and then it goes on alone until the process ends.
class Background {
 public:
  class Job {
   public:
    virtual ~Job() = default;    // in the loop's thread, or in the other one if nobody is told
    virtual void run() = 0;      // in another thread: it touches only what the job owns
    virtual void on_done() = 0;  // in the loop's thread, after run(); may destroy the Background
  };

  explicit Background(Loop& loop);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Where the system gives no thread the job is done at once, and the loop waits for it.
  void submit(std::unique_ptr<Job> job);
  bool idle() const { return begun_ == nullptr; }

 private:
  friend class Jobs;
  struct Begun;
  void begin_next();
  void on_finished();

  Loop& loop_;
  std::deque<std::unique_ptr<Job>> waiting_;
  std::shared_ptr<Begun> begun_;  // shared with its thread
};

}  // namespace orch::loop
