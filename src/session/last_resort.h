#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::session {

// After so long somebody is told what is being waited for.
inline constexpr int64_t kSayMs = 5'000;

// One wait at a time for what others do - an agent's end, an engine, git, a disk - and what is done
// when it does not come: no run may wait for ever.
class LastResort {
 public:
  // `say` is called from the loop, once for each wait that takes longer than kSayMs.
  LastResort(loop::Loop& loop, std::function<void(const std::string& what)> say);

  // Waits for `what` ("the end of pid 7") for at most so long; then `give_up` is called from the
  // loop, once. Ends an earlier wait.
  void wait_for(std::string what, int64_t at_most_ms, std::function<void()> give_up);
  // From now on no longer than so long: somebody is in a hurry.
  void hurry(int64_t at_most_ms);
  void came();  // what was waited for; nothing is called any more
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
