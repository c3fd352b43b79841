#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loop/timer.h"
#include "pty/process.h"
#include "pty/tool.h"

namespace orch::pty {

// Runs commands one after the other, without blocking the loop. The destructor kills the one that
// is running and drops the others.
class ToolQueue final : private ProcessObserver {
 public:
  // Called from the loop; must not destroy the queue.
  using OnDone = std::function<void(const ToolEnd& end)>;

  ToolQueue(loop::Loop& loop, std::vector<std::string> env, const ToolLimits& limits = {});
  ~ToolQueue() override;

  void run(std::vector<std::string> argv, OnDone on_done = nullptr);
  size_t waiting() const { return jobs_.size(); }  // the running one included

 private:
  struct Job {
    std::vector<std::string> argv;
    OnDone on_done;
  };
  void on_output(std::string_view bytes) override { hear(bytes, end_.output); }
  void on_error_output(std::string_view bytes) override { hear(bytes, end_.errors); }
  void hear(std::string_view bytes, std::string& output);
  void on_end(ExitStatus status) override;
  void begin();
  void finish();

  loop::Loop& loop_;
  std::vector<std::string> env_;
  ToolLimits limits_;
  std::deque<Job> jobs_;
  ToolEnd end_;  // of the command that is running
  std::unique_ptr<Process> process_;
  loop::Timer next_, deadline_;
};

}  // namespace orch::pty
