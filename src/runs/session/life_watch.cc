#include "session/life_watch.h"

#include <utility>

#include "session/surroundings.h"

namespace orch::session {

LifeWatch::LifeWatch(loop::Loop& loop, Look look, Told told)
    : look_(std::move(look)), told_(std::move(told)), timer_(loop) {}

void LifeWatch::watch(int64_t for_ms) {
  timer_.stop();
  watch_ = std::make_shared<const int>(0);
  look([this, for_ms](const pty::LifeSigns& before) {
    timer_.start(for_ms, [this, before] {
      look([this, before](const pty::LifeSigns& after) {
        tell(pty::shows_life(before, after), evidence_of(before, after));
      });
    });
  });
}

// A result that comes late, after its watch has ended or begun anew, is dropped.
void LifeWatch::look(std::function<void(const pty::LifeSigns&)> then) {
  look_([this, watch = std::weak_ptr(watch_),
         then = std::move(then)](const std::optional<pty::LifeSigns>& signs) {
    if (watch.expired()) return;
    if (!signs) return tell(true, "the agent's processes could not be looked at");
    then(*signs);
  });
}

void LifeWatch::stop() {
  watch_.reset();
  timer_.stop();
}

void LifeWatch::tell(bool alive, const std::string& evidence) {
  stop();
  told_(alive, evidence);
}

}  // namespace orch::session
