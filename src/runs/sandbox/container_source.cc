#include "sandbox/container_source.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace orch::sandbox {
namespace {

// After SIGKILL in the container its client ends by itself within this time, unless the daemon
// hangs.
constexpr int64_t kClientMs = 3'000;
// How long an engine that hangs may delay the report that the agent has ended.
constexpr int64_t kSettleMs = 3'000;
// After on_lost() the observer should stop this; if it does not, the client is ended after this
// time.
constexpr int64_t kLostMs = 5'000;

}  // namespace

ContainerSource::ContainerSource(loop::Loop& loop, Container& container, Client client,
                                 const pty::SpawnPlan& plan, session::SourceObserver& observer)
    : loop_(loop),
      container_(container),
      client_(std::move(client)),
      plan_(plan),
      observer_(observer),
      deadline_(loop),
      soon_(loop) {
  container_.observe(this);
}

// Ending the client would not end the agent in the container, so the agent is killed there. The
// container calls the next observer's on_up() only when this is done.
ContainerSource::~ContainerSource() {
  container_.forget(this);
  if (phase_ == Phase::kRunning && !client_ended_) container_.end_inside(Signal::kKill);
}

void ContainerSource::on_up() {
  if (phase_ != Phase::kWaiting) return;
  base::Result<std::unique_ptr<session::Source>> inner = client_.source(loop_, plan_, *this);
  if (!inner) return on_lost(inner.error().text);
  inner_ = std::move(inner).value();
  phase_ = Phase::kRunning;
  if (!waiting_.empty()) inner_->write(std::exchange(waiting_, {}));
  if (!input_open_) inner_->finish_writing();
  if (paused_) inner_->pause();
}

void ContainerSource::write(std::string bytes) {
  if (inner_) {
    inner_->write(std::move(bytes));
  } else if (phase_ == Phase::kWaiting) {
    waiting_ += bytes;
  }
}

void ContainerSource::finish_writing() {
  if (!std::exchange(input_open_, false)) return;
  if (inner_) inner_->finish_writing();
}

void ContainerSource::resize(int cols, int rows) {
  plan_.cols = cols;
  plan_.rows = rows;
  if (inner_) inner_->resize(cols, rows);
}

void ContainerSource::pause() {
  paused_ = true;
  if (inner_) inner_->pause();
}

void ContainerSource::resume() {
  paused_ = false;
  if (inner_) inner_->resume();
}

size_t ContainerSource::unwritten_bytes() const {
  return inner_ ? inner_->unwritten_bytes() : waiting_.size();
}

void ContainerSource::stop(session::StopOrder order) {
  switch (phase_) {
    case Phase::kWaiting:
      status_ = {0, SIGTERM};
      phase_ = Phase::kEnded;
      return end_soon();
    case Phase::kRunning: {
      const bool pipes = client_.talk == session::Enclosure::Talk::kPipes;
      const bool asks = pipes ? input_open_ : !order.quit_bytes.empty();
      quit_bytes_ = std::move(order.quit_bytes);
      if (!ladder_) {
        ladder_.emplace(pty::StopTimes{asks ? order.quit_ms : 0, order.term_ms, kClientMs});
      }
      return climb(pty::StopEvent::kAsked);
    }
    case Phase::kLost:
      return end_client();
    case Phase::kSettling:
    case Phase::kEnded:
      return;
  }
}

void ContainerSource::climb(pty::StopEvent event) {
  switch (ladder_->step(event, loop_.now_ms())) {
    case pty::StopStep::kNone:
      break;
    case pty::StopStep::kQuitKeys:
      if (quit_bytes_.empty()) {
        finish_writing();
      } else {
        inner_->write(std::exchange(quit_bytes_, {}));
      }
      break;
    case pty::StopStep::kTerminate:
      signal(Signal::kTerm);
      break;
    case pty::StopStep::kKill:
      signal(Signal::kKill);
      break;
    case pty::StopStep::kGiveUp:
      return end_client();
  }
  if (const std::optional<int64_t> at = ladder_->deadline_ms()) {
    deadline_.start(std::max<int64_t>(0, *at - loop_.now_ms()),
                    [this] { climb(pty::StopEvent::kTime); });
  }
}

void ContainerSource::signal(Signal signal) {
  ++signals_out_;
  container_.end_inside(signal);
}

void ContainerSource::on_end(pty::ExitStatus status) {
  client_ended_ = true;
  status_ = status;
  deadline_.stop();
  if (phase_ != Phase::kRunning) return end_soon();
  phase_ = Phase::kSettling;
  signal(Signal::kKill);
  deadline_.start(kSettleMs, [this] { end_soon(); });
}

void ContainerSource::on_signalled() {
  if (signals_out_ > 0) --signals_out_;
  if (phase_ == Phase::kSettling && signals_out_ == 0) end_soon();
}

void ContainerSource::on_lost(const std::string& why) {
  if (phase_ == Phase::kLost || phase_ == Phase::kEnded) return;
  phase_ = Phase::kLost;
  deadline_.start(kLostMs, [this] { end_client(); });
  observer_.on_lost(why);
}

// The client passes no signal on to the container, so it is killed.
void ContainerSource::end_client() {
  deadline_.stop();
  if (!inner_ || client_ended_) return end_soon();
  inner_->stop({.quit_bytes = "", .quit_ms = 0, .term_ms = 0});
}

void ContainerSource::end_soon() {
  phase_ = phase_ == Phase::kLost ? Phase::kLost : Phase::kEnded;
  soon_.start(0, [this] {
    phase_ = Phase::kEnded;
    deadline_.stop();
    container_.forget(this);
    const pty::ExitStatus status = status_;
    observer_.on_end(status);
  });
}

}  // namespace orch::sandbox
