#include "pty/tool_queue.h"

#include <utility>

#include "base/log.h"
#include "loop/loop.h"

namespace orch::pty {
namespace {

// One command, and a loop of its own that waits for it.
class Waiting final : public ProcessObserver {
 public:
  base::Result<ToolEnd> run(const std::vector<std::string>& argv,
                            const std::vector<std::string>& env, int64_t patience_ms) {
    ProcessPlan plan;
    plan.argv = argv;
    plan.env = env;
    auto process = Process::spawn(loop_, std::move(plan), *this);
    if (!process) return process.error();
    loop::Timer deadline(loop_);
    deadline.start(patience_ms, [this, &process] {
      end_.timed_out = true;
      (*process)->stop(0);
    });
    loop_.run();
    return std::move(end_);
  }

 private:
  void on_output(std::string_view bytes) override { end_.output += bytes; }
  void on_error_output(std::string_view bytes) override { end_.errors += bytes; }
  void on_end(ExitStatus status) override {
    end_.ok = status == ExitStatus{};
    loop_.stop();
  }

  loop::Loop loop_;
  ToolEnd end_;
};

}  // namespace

ToolQueue::ToolQueue(loop::Loop& loop, std::vector<std::string> env, int64_t patience_ms)
    : loop_(loop), env_(std::move(env)), patience_ms_(patience_ms), next_(loop), deadline_(loop) {}

ToolQueue::~ToolQueue() = default;

void ToolQueue::run(std::vector<std::string> argv, OnDone on_done) {
  jobs_.push_back({std::move(argv), std::move(on_done)});
  if (jobs_.size() == 1) next_.start(0, [this] { begin(); });
}

void ToolQueue::begin() {
  end_ = {};
  ProcessPlan plan;
  plan.argv = jobs_.front().argv;
  plan.env = env_;
  auto process = Process::spawn(loop_, std::move(plan), *this);
  if (!process) {
    base::log_warn("tool", process.error().text);
    end_.errors = process.error().text;
    return finish();
  }
  process_ = std::move(process).value();
  deadline_.start(patience_ms_, [this] {
    end_.timed_out = true;
    process_->stop(0);
  });
}

void ToolQueue::on_end(ExitStatus status) {
  deadline_.stop();
  end_.ok = status == ExitStatus{};
  next_.start(0, [this] { finish(); });
}

void ToolQueue::finish() {
  process_.reset();
  const Job job = std::move(jobs_.front());
  jobs_.pop_front();
  const ToolEnd end = std::exchange(end_, {});
  if (!jobs_.empty()) next_.start(0, [this] { begin(); });
  if (job.on_done) job.on_done(end);
}

base::Result<ToolEnd> run_tool(const std::vector<std::string>& argv,
                               const std::vector<std::string>& env, int64_t patience_ms) {
  return Waiting().run(argv, env, patience_ms);
}

}  // namespace orch::pty
