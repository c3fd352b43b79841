#include "host/person_watch.h"

#include <cstdint>

namespace orch::host {
namespace {

constexpr int64_t kStandsMs = 1'000;

}  // namespace

void PersonWatch::see(bool waits) {
  if (!waits) {
    patience_.stop();
    change(false);
  } else if (!waits_ && !patience_.active()) {
    patience_.start(kStandsMs, [this] { change(true); });
  }
}

void PersonWatch::change(bool waits) {
  if (waits == waits_) return;
  waits_ = waits;
  if (told_) told_();
}

}  // namespace orch::host
