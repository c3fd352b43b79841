#include "pty/tool_queue.h"

#include <utility>

#include "base/log.h"
#include "loop/loop.h"

namespace orch::pty {
ToolQueue::ToolQueue(loop::Loop& loop, std::vector<std::string> env, const ToolLimits& limits)
    : loop_(loop), env_(std::move(env)), limits_(limits), next_(loop), deadline_(loop) {}

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
  deadline_.start(limits_.patience_ms, [this] {
    end_.timed_out = true;
    process_->stop(0);
  });
}

void ToolQueue::hear(std::string_view bytes, std::string& output) {
  if (end_.too_long || add_output(limits_, bytes, output)) return;
  end_.too_long = true;
  process_->stop(0);
}

void ToolQueue::on_end(ExitStatus status) {
  deadline_.stop();
  end_.code = status.signal != 0 ? 128 + status.signal : status.code;
  end_.ok = status == ExitStatus{} && !end_.too_long && !end_.timed_out;
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

}  // namespace orch::pty
