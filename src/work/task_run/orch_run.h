#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/line_cutter.h"
#include "event/event.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/process.h"
#include "task_run/run_end.h"
#include "task_run/run_words.h"

namespace orch::task_run {

// One run of orch as a step of a task.
class TaskStep {
 public:
  virtual ~TaskStep() = default;
  virtual void stop() = 0;  // the first call stops it politely, a further one at once
};

// Orch itself as a child process, whose JSON events are read. It gets SIGTERM when this process
// dies, and then ends its own agent and records that.
class OrchRun final : public TaskStep, private pty::ProcessObserver {
 public:
  static constexpr size_t kKeptWords = size_t{32} << 10;

  // `on_end` is called once, from the loop, as the last call, and may destroy this.
  static base::Result<std::unique_ptr<TaskStep>> start(loop::Loop& loop, const RunWords& words,
                                                       const std::string& state_dir,
                                                       int64_t timeout_ms,
                                                       std::function<void(RunEnd)> on_end);
  ~OrchRun() override;
  OrchRun(const OrchRun&) = delete;
  OrchRun& operator=(const OrchRun&) = delete;

  void stop() override;

 private:
  OrchRun(loop::Loop& loop, std::string state_dir, std::function<void(RunEnd)> on_end);
  void on_output(std::string_view bytes) override;
  void on_error_output(std::string_view bytes) override;
  void on_end(pty::ExitStatus status) override;
  void hear(std::string_view line);
  void keep(std::string_view line);

  loop::Loop& loop_;
  std::string state_dir_;
  std::function<void(RunEnd)> on_end_;
  int64_t begun_ms_;
  loop::Timer patience_;
  static constexpr size_t kMaxLineBytes = size_t{4} << 20;
  std::string issue_, errors_;
  base::LineCutter lines_{kMaxLineBytes};
  RunEnd end_;
  std::unique_ptr<pty::Process> process_;
};

}  // namespace orch::task_run
