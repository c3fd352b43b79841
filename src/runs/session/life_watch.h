#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/life_signs.h"

namespace orch::session {

// Finds out whether an agent whose terminal is silent is at work all the same: compares two looks
// at its processes, some seconds apart. One watch at a time.
class LifeWatch {
 public:
  // Called once, at once or later; nullopt: the processes cannot be looked at.
  using Found = std::function<void(std::optional<pty::LifeSigns>)>;
  using Look = std::function<void(Found found)>;
  // Called once for each watch, from the loop or from inside a call below; `evidence` is one line.
  // An agent that cannot be looked at is taken for alive.
  using Told = std::function<void(bool alive, const std::string& evidence)>;
  LifeWatch(loop::Loop& loop, Look look, Told told);

  void watch(int64_t for_ms);
  // Output has come, or a process has ended: that is sign of life enough.
  void saw_life() {
    if (watch_) tell(true, "");
  }
  void stop();  // ends the watch without a report

 private:
  void look(std::function<void(const pty::LifeSigns&)> then);
  void tell(bool alive, const std::string& evidence);

  Look look_;
  Told told_;
  loop::Timer timer_;                 // until the second look
  std::shared_ptr<const int> watch_;  // identifies the present watch; null: none is under way
};

}  // namespace orch::session
