#pragma once

#include <functional>

#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::host {

// Tells of a session that it waits for a person, once it has done so for a second, since some
// dialogs flash by; and at once that it does so no more.
class PersonWatch {
 public:
  explicit PersonWatch(loop::Loop& loop) : patience_(loop) {}

  // `told` is called from within see() or from the loop.
  void on_change(std::function<void()> told) { told_ = std::move(told); }
  void see(bool waits);                  // how it is now
  bool waits() const { return waits_; }  // as it was told last

 private:
  void change(bool waits);

  loop::Timer patience_;
  std::function<void()> told_;
  bool waits_ = false;
};

}  // namespace orch::host
