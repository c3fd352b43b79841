#include "loop/background.h"

#include <uv.h>

#include <utility>

#include "base/check.h"
#include "loop/loop.h"

namespace orch::loop {

// A job in the hands of libuv.
struct Background::Begun {
  uv_work_t request{};
  Loop* loop = nullptr;
  Background* owner = nullptr;  // empty: it is gone
  std::unique_ptr<Job> job;
};

Background::Background(Loop& loop) : loop_(loop) {}

Background::~Background() {
  if (begun_ != nullptr) begun_->owner = nullptr;
}

void Background::submit(std::unique_ptr<Job> job) {
  waiting_.push_back(std::move(job));
  if (idle()) begin_next();
}

void Background::begin_next() {
  auto begun = std::make_unique<Begun>();
  begun->loop = &loop_;
  begun->owner = this;
  begun->job = std::move(waiting_.front());
  waiting_.pop_front();
  begun->request.data = begun.get();
  const int error = uv_queue_work(
      loop_.uv(), &begun->request,
      [](uv_work_t* request) { static_cast<Begun*>(request->data)->job->run(); },
      [](uv_work_t* request, int) { finish(static_cast<Begun*>(request->data)); });
  ORCH_CHECK(error == 0);
  begun_ = begun.release();
  ++loop_.jobs_begun_;
}

void Background::finish(Begun* begun) noexcept {
  const std::unique_ptr<Begun> done(begun);
  --done->loop->jobs_begun_;
  Background* owner = done->owner;
  if (owner == nullptr) return;
  owner->begun_ = nullptr;
  if (!owner->waiting_.empty()) owner->begin_next();
  done->job->on_done();
}

}  // namespace orch::loop
