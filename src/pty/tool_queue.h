#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "loop/timer.h"
#include "pty/process.h"

namespace orch::pty {

// How a command has ended.
struct ToolEnd {
  bool ok = false;  // it was started, and its exit code was 0
  bool timed_out = false;
  std::string output, errors;
};

// Runs commands one after the other, beside the loop. The destructor kills the one that is running
// and drops the others.
class ToolQueue final : private ProcessObserver {
 public:
  static constexpr int64_t kPatienceMs = 5'000;  // after that a command is killed

  // Called from the loop; must not destroy the queue.
  using OnDone = std::function<void(const ToolEnd& end)>;

  ToolQueue(loop::Loop& loop, std::vector<std::string> env, int64_t patience_ms = kPatienceMs);
  ~ToolQueue() override;

  void run(std::vector<std::string> argv, OnDone on_done = nullptr);
  size_t waiting() const { return jobs_.size(); }  // the running one included

 private:
  struct Job {
    std::vector<std::string> argv;
    OnDone on_done;
  };
  void on_output(std::string_view bytes) override { end_.output += bytes; }
  void on_error_output(std::string_view bytes) override { end_.errors += bytes; }
  void on_end(ExitStatus status) override;
  void begin();
  void finish();

  loop::Loop& loop_;
  std::vector<std::string> env_;
  int64_t patience_ms_;
  std::deque<Job> jobs_;
  ToolEnd end_;  // of the command that is running
  std::unique_ptr<Process> process_;
  loop::Timer next_, deadline_;
};

// Runs one command and waits for it. Not for a process that watches children of its own. An error:
// it could not be started.
base::Result<ToolEnd> run_tool(const std::vector<std::string>& argv,
                               const std::vector<std::string>& env, int64_t patience_ms);

}  // namespace orch::pty
