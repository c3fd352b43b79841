#include "loop/loop.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/fd.h"
#include "base/log.h"
#include "loop/children.h"
#include "loop/jobs.h"

namespace orch::loop {
namespace {

int64_t clock_us() { return static_cast<int64_t>(uv_hrtime() / 1'000); }

[[noreturn]] void cannot_make(int error) {
  throw std::system_error(error, std::generic_category(), "make an event loop");
}

// A process's first loop opens six descriptors: its epoll, its wake-up, a pipe for signals, and a
// pipe that libuv's signal handlers share. libuv aborts if it does not get the last one. Returns an
// errno, or 0.
int lack_of_descriptors() {
  std::array<base::Fd, 6> probes;
  for (base::Fd& probe : probes) {
    probe = base::Fd(::open("/", O_PATH | O_CLOEXEC));
    if (!probe.valid()) return errno;
  }
  return 0;
}

// While SIGCHLD is ignored, as some parents leave it, the kernel itself reaps our children. A
// handler of libuv, for loops that exist already, is kept.
void stop_ignoring_children() {
  struct sigaction action {};
  ORCH_CHECK(::sigaction(SIGCHLD, nullptr, &action) == 0);
  if (action.sa_handler == SIG_IGN) ORCH_CHECK(std::signal(SIGCHLD, SIG_DFL) != SIG_ERR);
}

}  // namespace

void Loop::Close::operator()(uv_loop_t* loop) const noexcept {
  // Runs the close callbacks of objects that were destroyed since the last turn. A stop() since
  // then costs a turn.
  if (uv_run(loop, UV_RUN_NOWAIT) != 0) uv_run(loop, UV_RUN_NOWAIT);
  ORCH_CHECK(uv_loop_close(loop) == 0);
  delete loop;
}

Loop::Loop() {
  ORCH_CHECK(std::signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  stop_ignoring_children();
  if (const int error = lack_of_descriptors(); error != 0) cannot_make(error);
  auto loop = std::make_unique<uv_loop_t>();
  if (const int error = uv_loop_init(loop.get()); error != 0) cannot_make(-error);
  uv_.reset(loop.release());
  watch_turns();
  children_ = std::make_unique<Children>(*this);
}

Loop::~Loop() = default;

// A turn consists of the timers, a wait for descriptors, and the callbacks for descriptors and
// other threads. libuv reads the clock before the timers and again after the wait, so the wait does
// not count as part of a turn. The two handles read the clock in each turn, but cause no wake-up.
void Loop::watch_turns() {
  auto check = std::make_unique<uv_check_t>();
  ORCH_CHECK(uv_check_init(uv_.get(), check.get()) == 0);
  after_poll_.reset(check.release());
  auto prepare = std::make_unique<uv_prepare_t>();
  ORCH_CHECK(uv_prepare_init(uv_.get(), prepare.get()) == 0);
  after_timers_.reset(prepare.release());
  uv_check_start(after_poll_.get(), [](uv_check_t* handle) { look_at_turn(handle->loop); });
  after_timers_->data = this;
  uv_prepare_start(after_timers_.get(), [](uv_prepare_t* handle) {
    look_at_turn(handle->loop);
    static_cast<Loop*>(handle->data)->begin_wait();
  });
  auto idle = std::make_unique<uv_idle_t>();
  ORCH_CHECK(uv_idle_init(uv_.get(), idle.get()) == 0);
  no_wait_.reset(idle.release());
  uv_unref(reinterpret_cast<uv_handle_t*>(after_poll_.get()));
  uv_unref(reinterpret_cast<uv_handle_t*>(after_timers_.get()));
  uv_unref(reinterpret_cast<uv_handle_t*>(no_wait_.get()));
}

void Loop::look_at_turn(uv_loop_t* loop) noexcept {
  const int64_t took = static_cast<int64_t>(uv_hrtime() / 1'000'000 - uv_now(loop));
  if (took <= kLateMs) return;
  base::log_warn("loop", "late: one turn took " + std::to_string(took) + " ms");
}

bool Loop::watches_child(pid_t pid) const { return children_->watches(pid); }

Jobs& Loop::jobs() {
  if (!jobs_) jobs_ = std::make_unique<Jobs>(*this);
  return *jobs_;
}

void Loop::reap(pid_t pid) {
  constexpr timespec kPause{0, 1'000'000};
  for (int64_t waited_ms = 0; ::waitpid(pid, nullptr, WNOHANG) == 0; ++waited_ms) {
    if (waited_ms == kReapMs) return children_->reap_later(pid);
    ::nanosleep(&kPause, nullptr);
  }
}

void Loop::run() { uv_run(uv_.get(), UV_RUN_DEFAULT); }

void Loop::stop() { uv_stop(uv_.get()); }

// libuv says 0 for a turn with a new watch, whose wait may be long all the same: such a turn does
// not wait, and the next one has no new watch.
void Loop::begin_wait() {
  const int timeout_ms = uv_backend_timeout(uv_.get());
  if (timeout_ms == 0) {
    uv_idle_start(no_wait_.get(), [](uv_idle_t* handle) { uv_idle_stop(handle); });
  }
  wait_due_us_.reset();
  if (timeout_ms >= 0) wait_due_us_ = clock_us() + timeout_ms * int64_t{1'000};
}

int64_t Loop::now_us() const {
  const int64_t now = clock_us();
  if (wait_due_us_ && now > *wait_due_us_ + kLateMs * 1'000) {
    const int64_t late = now - *std::exchange(wait_due_us_, std::nullopt);
    // now_us() never goes back before its last result.
    stood_still_us_ += std::min(late + std::min(late, kCatchUpMs * 1'000), now - read_at_us_);
  }
  read_at_us_ = now;
  return now - stood_still_us_;
}

}  // namespace orch::loop
