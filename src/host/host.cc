#include "host/host.h"

#include <malloc.h>

#include <csignal>

#include "base/log.h"
#include "event/exit_reason.h"
#include "pty/containment.h"
#include "pty/file_limit.h"

namespace orch::host {

using event::ExitReason;

namespace {

// A session that has been flooded frees large buffers. From this size on they go back to the system
// at once; otherwise the process would keep them, once for each session.
constexpr int kReturnedBytes = 64 << 10;

}  // namespace

Host::Host(loop::Loop& loop, HostPlan plan, HostObserver& observer)
    : loop_(loop),
      observer_(observer),
      jobs_(plan.jobs == 0 ? plan.sessions.size() : plan.jobs),
      socket_folder_(std::move(plan.socket_folder)),
      crew_(plan.crew),
      waiting_(std::make_move_iterator(plan.sessions.begin()),
               std::make_move_iterator(plan.sessions.end())) {}

Host::~Host() = default;

base::Status Host::start() {
  ::mallopt(M_MMAP_THRESHOLD, kReturnedBytes);
  pty::raise_file_limit();  // connections, recordings, terminals: a few for each session and peer
  if (base::Status s = pty::become_subreaper(); !s) return s;
  base::log_info("host", "orphans of its agents come to this process (subreaper)");
  auto guardian = pty::Guardian::start();
  if (!guardian) return guardian.error();
  guardian_ = std::move(guardian).value();
  orphans_ = std::make_unique<loop::SignalWatch>(loop_, SIGCHLD,
                                                 [this](int) { pty::reap_orphans(loop_); });
  start_waiting();
  return base::Ok{};
}

void Host::start_waiting() {
  if (starting_) return;
  starting_ = true;
  while (running_ < jobs_ && !waiting_.empty()) {
    session::SessionSetup setup = std::move(waiting_.front());
    waiting_.pop_front();
    const std::string issue = setup.issue;
    if (const auto started = start_one(std::move(setup)); !started) {
      const base::Error& why = started.error();
      observer_.on_ended({issue, event::exit_code(why.code), {}, why.text});
    }
  }
  starting_ = false;
  finish_if_done();
}

base::Result<HostedSession*> Host::take(session::SessionSetup setup) {
  return start_one(std::move(setup));
}

base::Result<HostedSession*> Host::start_one(session::SessionSetup setup) {
  const size_t slot = sessions_.size();
  setup.guardian = guardian_.get();
  auto sink = observer_.sink_for(setup);
  auto hosted = HostedSession::start(loop_, std::move(setup), socket_folder_, std::move(sink),
                                     crew_, [this, slot] { on_session_ended(slot); });
  if (!hosted) return hosted.error();
  sessions_.push_back(std::move(hosted).value());
  ++running_;
  if (output_paused_) sessions_.back()->session().pause_output();
  observer_.on_started(*sessions_.back());
  return sessions_.back().get();
}

void Host::on_session_ended(size_t slot) {
  const std::unique_ptr<HostedSession> ended = std::move(sessions_[slot]);
  const store::RunResult result = ended->session().result();
  if (auto socket = ended->release_socket()) part(std::move(socket), store::to_json(result));
  --running_;
  observer_.on_ended({result.issue, result.code, result, ""});
  if (result.reason == ExitReason::kRetryLater) {
    skip_waiting(result.code, "not started: issue " + result.issue + " was told to retry later");
  }
  start_waiting();
}

// Those who still listen are told the result before the socket goes.
void Host::part(std::unique_ptr<ControlSocket> socket, const std::string& result_json) {
  ControlSocket* parting = socket.get();
  parting_.push_back(std::move(socket));
  parting->on_end(result_json, [this, parting] {
    std::erase_if(parting_, [parting](const auto& own) { return own.get() == parting; });
    finish_if_done();
  });
}

void Host::skip_waiting(int code, const std::string& why) {
  for (const session::SessionSetup& setup : std::exchange(waiting_, {})) {
    observer_.on_ended({setup.issue, code, {}, why});
  }
}

void Host::on_stop_signal(int signum) {
  const ExitReason reason = signum == SIGINT ? ExitReason::kInterrupted : ExitReason::kTerminated;
  skip_waiting(event::exit_code(reason), "not started: interrupted");
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->session().on_signal(signum);
  }
  finish_if_done();
}

void Host::fail(const std::string& why) {
  skip_waiting(event::exit_code(ExitReason::kInternal), "not started: " + why);
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->session().fail(why);
  }
}

void Host::resize(term::Size size) {
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->viewers().on_own_size(size);
  }
}

void Host::pause_output() {
  output_paused_ = true;
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->session().pause_output();
  }
}

void Host::resume_output() {
  output_paused_ = false;
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->session().resume_output();
  }
}

void Host::finish_if_done() {
  if (!idle() || !parting_.empty() || starting_ || finished_) return;
  if (crew_ != nullptr && sessions_.empty()) return;  // its first agent is still to come
  finished_ = true;
  guardian_->end_strays(loop_);
  observer_.on_all_ended();
}

}  // namespace orch::host
