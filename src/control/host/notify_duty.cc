#include "host/notify_duty.h"

#include <utility>

#include "loop/timer.h"
#include "pty/process.h"

namespace orch::host {
namespace {

constexpr size_t kMostCommands = 4;
constexpr int64_t kPatienceMs = 30'000;

}  // namespace

// One run of the command. It ends by itself, at its time limit, or with its owner.
class NotifyDuty::Command final : private pty::ProcessObserver {
 public:
  Command(NotifyDuty& owner, pty::ProcessPlan plan) : owner_(owner), deadline_(owner.loop_) {
    auto spawned = pty::Process::spawn(owner.loop_, std::move(plan), *this);
    if (!spawned) return;
    process_ = std::move(spawned).value();
    deadline_.start(kPatienceMs, [this] { process_->stop(); });
  }
  bool started() const { return process_ != nullptr; }

 private:
  void on_output(std::string_view) override {}
  void on_error_output(std::string_view) override {}
  void on_end(pty::ExitStatus) override { owner_.on_ended(this); }

  NotifyDuty& owner_;
  loop::Timer deadline_;
  std::unique_ptr<pty::Process> process_;
};

NotifyDuty::NotifyDuty(loop::Loop& loop, std::string command, std::vector<std::string> environment)
    : loop_(loop), command_(std::move(command)), environment_(std::move(environment)) {}

NotifyDuty::~NotifyDuty() = default;

void NotifyDuty::tell(std::string_view json) {
  waiting_.emplace_back(json);
  start_waiting();
}

void NotifyDuty::start_waiting() {
  while (!waiting_.empty() && running_.size() < kMostCommands) {
    pty::ProcessPlan plan;
    plan.argv = {"/bin/sh", "-c", command_};
    plan.env = environment_;
    plan.input = std::move(waiting_.front()) + "\n";
    plan.error_output = pty::ErrorOutput::kMerged;
    waiting_.pop_front();
    auto command = std::make_unique<Command>(*this, std::move(plan));
    if (command->started()) running_.push_back(std::move(command));
  }
}

void NotifyDuty::on_ended(const Command* command) {
  std::erase_if(running_, [command](const auto& own) { return own.get() == command; });
  start_waiting();
  if (running_.empty() && on_done_) std::exchange(on_done_, nullptr)();
}

void NotifyDuty::when_done(std::function<void()> on_done) {
  if (running_.empty()) return on_done();
  on_done_ = std::move(on_done);
}

}  // namespace orch::host
