#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::session {

// If a wait takes longer, it is reported.
inline constexpr int64_t kSayMs = 5'000;

// Waits, one at a time, for something outside of orch (the end of an agent, a container, git, a
// disk), and gives up when that takes too long: no run may wait for ever.
class LastResort {
 public:
  // `say` is called from the loop, once for each wait that takes longer than kSayMs.
  LastResort(loop::Loop& loop, std::function<void(const std::string& what)> say);

  // Waits for `what` ("the end of pid 7") for at most `at_most_ms`; then `give_up` is called from
  // the loop, once. Replaces an earlier wait.
  void wait_for(std::string what, int64_t at_most_ms, std::function<void()> give_up);
  // Shortens the wait to `at_most_ms` from now: somebody is in a hurry.
  void hurry(int64_t at_most_ms);
  void came();  // the wait is over: no callback is called any more
  bool waits() const { return limit_.active(); }

 private:
  void set_limit(int64_t at_ms);

  loop::Loop& loop_;
  std::function<void(const std::string&)> say_;
  std::string what_;
  std::function<void()> give_up_;
  int64_t give_up_at_ms_ = 0;
  loop::Timer limit_, word_;
};

}  // namespace orch::session
