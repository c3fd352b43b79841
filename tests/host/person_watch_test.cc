#include "host/person_watch.h"

#include <catch2/catch.hpp>
#include <vector>

#include "loop/timer.h"

namespace orch::host {
namespace {

// Records the changes, and stops the loop at each.
struct Told {
  Told(loop::Loop& loop, PersonWatch& watch) {
    watch.on_change([this, &loop, &watch] {
      all.push_back(watch.waits());
      loop.stop();
    });
  }
  std::vector<bool> all;
};

}  // namespace

TEST_CASE("who waits for a person is told of once that has lasted, and its end at once") {
  loop::Loop loop;
  PersonWatch watch(loop);
  Told told(loop, watch);
  watch.see(false);
  watch.see(true);
  watch.see(true);
  CHECK(told.all.empty());
  const int64_t began = loop.now_ms();
  loop.run();
  CHECK(loop.now_ms() - began >= 1'000);
  CHECK(told.all == std::vector<bool>{true});
  watch.see(true);
  CHECK(told.all.size() == 1);
  watch.see(false);
  CHECK(told.all == std::vector<bool>{true, false});
}

TEST_CASE("a dialog that flashes by is nobody's to wait for") {
  loop::Loop loop;
  PersonWatch watch(loop);
  Told told(loop, watch);
  watch.see(true);
  watch.see(false);
  loop::Timer later(loop);
  later.start(1'500, [&loop] { loop.stop(); });
  loop.run();
  CHECK(told.all.empty());
}

}  // namespace orch::host
