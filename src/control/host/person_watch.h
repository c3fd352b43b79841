#pragma once

#include <functional>

#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::host {

// Reports that a session waits for a user after it has waited for a second, since some dialogs only
// flash by. Reports the end of the wait at once.
class PersonWatch {
 public:
  explicit PersonWatch(loop::Loop& loop) : patience_(loop) {}

  // The callback is called from inside see() or from the loop.
  void on_change(std::function<void()> told) { told_ = std::move(told); }
  void see(bool waits);                  // whether the session waits now
  bool waits() const { return waits_; }  // as it was reported last

 private:
  void change(bool waits);

  loop::Timer patience_;
  std::function<void()> told_;
  bool waits_ = false;
};

}  // namespace orch::host
