#include "loop/jobs.h"

#include <pthread.h>
#include <uv.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/check.h"
#include "loop/loop.h"

namespace orch::loop {
namespace {

// Blocks all signals while a thread is started; the thread inherits that, because signals are for
// the loop's thread.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

// Shared by the loop's thread and those of the jobs.
struct Jobs::Ended {
  std::mutex mutex;
  std::condition_variable one_more;
  std::vector<std::shared_ptr<Background::Begun>> jobs;
  uv_async_t* bell = nullptr;  // null: the loop is gone
};

Jobs::Jobs(Loop& loop) : ended_(std::make_shared<Ended>()) {
  auto bell = std::make_unique<uv_async_t>();
  ORCH_CHECK(uv_async_init(loop.uv(), bell.get(), &Jobs::on_bell) == 0);
  bell->data = this;
  bell_.reset(bell.release());
  ended_->bell = bell_.get();
  uv_unref(reinterpret_cast<uv_handle_t*>(bell_.get()));
}

Jobs::~Jobs() {
  std::unique_lock lock(ended_->mutex);
  ended_->one_more.wait_for(lock, std::chrono::milliseconds(kLastJobMs),
                            [this] { return ended_->jobs.size() == running_; });
  ended_->bell = nullptr;
}

void Jobs::begin(const std::shared_ptr<Background::Begun>& begun) {
  if (running_++ == 0) uv_ref(reinterpret_cast<uv_handle_t*>(bell_.get()));
  const auto work = [ended = ended_, begun] {
    begun->job->run();
    const std::lock_guard lock(ended->mutex);
    ended->jobs.push_back(begun);
    ended->one_more.notify_all();
    if (ended->bell != nullptr) uv_async_send(ended->bell);
  };
  const WithoutSignals none;
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {  // the system has no thread for it
    work();
  }
}

void Jobs::on_bell(uv_async_t* handle) noexcept {
  auto* jobs = static_cast<Jobs*>(handle->data);
  if (jobs != nullptr) jobs->on_ended();
}

void Jobs::on_ended() {
  std::vector<std::shared_ptr<Background::Begun>> ended;
  {
    const std::lock_guard lock(ended_->mutex);
    ended.swap(ended_->jobs);
  }
  running_ -= ended.size();
  if (running_ == 0) uv_unref(reinterpret_cast<uv_handle_t*>(bell_.get()));
  for (const std::shared_ptr<Background::Begun>& job : ended) {
    if (job->owner != nullptr) job->owner->on_finished();
  }
}

}  // namespace orch::loop
