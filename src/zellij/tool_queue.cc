#include "zellij/tool_queue.h"

#include <utility>

#include "base/log.h"
#include "loop/loop.h"

namespace orch::zellij {
namespace {

constexpr int64_t kPatienceMs = 5'000;

}  // namespace

ToolQueue::ToolQueue(loop::Loop& loop, std::vector<std::string> env)
    : loop_(loop), env_(std::move(env)), next_(loop), deadline_(loop) {}

ToolQueue::~ToolQueue() = default;

void ToolQueue::run(std::vector<std::string> argv, OnDone on_done) {
  jobs_.push_back({std::move(argv), std::move(on_done)});
  if (jobs_.size() == 1) next_.start(0, [this] { begin(); });
}

void ToolQueue::begin() {
  output_.clear();
  pty::ProcessPlan plan;
  plan.argv = jobs_.front().argv;
  plan.env = env_;
  auto process = pty::Process::spawn(loop_, std::move(plan), *this);
  if (!process) {
    base::log_warn("zellij", process.error().text);
    return finish(false);
  }
  process_ = std::move(process).value();
  deadline_.start(kPatienceMs, [this] { process_->stop(0); });
}

void ToolQueue::on_end(pty::ExitStatus status) {
  deadline_.stop();
  next_.start(0, [this, ok = status == pty::ExitStatus{}] { finish(ok); });
}

void ToolQueue::finish(bool ok) {
  process_.reset();
  const Job job = std::move(jobs_.front());
  jobs_.pop_front();
  if (!jobs_.empty()) next_.start(0, [this] { begin(); });
  if (job.on_done) job.on_done(ok, output_);
}

}  // namespace orch::zellij
