#include "loop/background.h"

#include <utility>

#include "loop/jobs.h"
#include "loop/loop.h"

namespace orch::loop {

Background::Background(Loop& loop) : loop_(loop) {}

Background::~Background() {
  if (begun_ != nullptr) begun_->owner = nullptr;
}

void Background::submit(std::unique_ptr<Job> job) {
  waiting_.push_back(std::move(job));
  if (idle()) begin_next();
}

void Background::begin_next() {
  begun_ = std::make_shared<Begun>();
  begun_->owner = this;
  begun_->job = std::move(waiting_.front());
  waiting_.pop_front();
  loop_.jobs().begin(begun_);
}

void Background::on_finished() {
  const std::shared_ptr<Begun> done = std::exchange(begun_, nullptr);
  if (!waiting_.empty()) begin_next();
  done->job->on_done();
}

}  // namespace orch::loop
