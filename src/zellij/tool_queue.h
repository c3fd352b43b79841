#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loop/timer.h"
#include "pty/process.h"

namespace orch::zellij {

// Commands run one after the other, beside the loop. What was not begun when this is destroyed is
// not begun any more.
class ToolQueue final : private pty::ProcessObserver {
 public:
  // Called from the loop; must not destroy the queue. `ok`: it ended with 0.
  using OnDone = std::function<void(bool ok, std::string_view output)>;

  ToolQueue(loop::Loop& loop, std::vector<std::string> env);
  ~ToolQueue() override;

  void run(std::vector<std::string> argv, OnDone on_done = nullptr);
  size_t waiting() const { return jobs_.size(); }  // the one that runs included

 private:
  struct Job {
    std::vector<std::string> argv;
    OnDone on_done;
  };
  void on_output(std::string_view bytes) override { output_ += bytes; }
  void on_error_output(std::string_view) override {}
  void on_end(pty::ExitStatus status) override;
  void begin();
  void finish(bool ok);

  loop::Loop& loop_;
  std::vector<std::string> env_;
  std::deque<Job> jobs_;
  std::string output_;
  std::unique_ptr<pty::Process> process_;
  loop::Timer next_, deadline_;
};

}  // namespace orch::zellij
