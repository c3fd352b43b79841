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

// Whether an agent whose terminal is silent is at work all the same: two looks at its processes,
// some seconds apart. One such watch at a time.
class LifeWatch {
 public:
  // A look finds nothing where it cannot be had. `found` may be called at once or later, once.
  using Found = std::function<void(std::optional<pty::LifeSigns>)>;
  using Look = std::function<void(Found found)>;
  // `told` is called once for each watch, from the loop or inside of a call below; `evidence` is
  // one line. What cannot be looked at is taken for alive.
  using Told = std::function<void(bool alive, const std::string& evidence)>;
  LifeWatch(loop::Loop& loop, Look look, Told told);

  void watch(int64_t for_ms);
  // Output has come, or the end of a process: that is life enough.
  void saw_life() {
    if (watch_) tell(true, "");
  }
  void stop();  // nothing more is told

 private:
  void look(std::function<void(const pty::LifeSigns&)> then);
  void tell(bool alive, const std::string& evidence);

  Look look_;
  Told told_;
  loop::Timer timer_;                 // until the second look
  std::shared_ptr<const int> watch_;  // this one; null: none is under way
};

}  // namespace orch::session
