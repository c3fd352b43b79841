#include "session/last_resort.h"

#include <algorithm>
#include <utility>

namespace orch::session {

LastResort::LastResort(loop::Loop& loop, std::function<void(const std::string& what)> say)
    : loop_(loop), say_(std::move(say)), limit_(loop), word_(loop) {}

void LastResort::wait_for(std::string what, int64_t at_most_ms, std::function<void()> give_up) {
  what_ = std::move(what);
  give_up_ = std::move(give_up);
  word_.start(kSayMs, [this] { say_(what_); });
  set_limit(loop_.now_ms() + at_most_ms);
}

void LastResort::hurry(int64_t at_most_ms) {
  if (waits()) set_limit(std::min(give_up_at_ms_, loop_.now_ms() + at_most_ms));
}

void LastResort::set_limit(int64_t at_ms) {
  give_up_at_ms_ = at_ms;
  limit_.start(at_ms - loop_.now_ms(), [this] {
    word_.stop();
    const auto give_up = std::exchange(give_up_, nullptr);
    give_up();
  });
}

void LastResort::came() {
  limit_.stop();
  word_.stop();
  give_up_ = nullptr;
}

}  // namespace orch::session
