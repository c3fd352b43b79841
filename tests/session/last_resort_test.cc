#include "session/last_resort.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace orch::session {
namespace {

struct Rig {
  loop::Loop loop;
  std::vector<std::string> said;
  int given_up = 0;
  LastResort resort{loop, [this](const std::string& what) { said.push_back(what); }};
  loop::Timer later{loop};

  void wait(int64_t at_most_ms) {
    resort.wait_for("the end of it", at_most_ms, [this] { ++given_up; });
  }
};

TEST_CASE("what does not come is given up in its time, once") {
  Rig rig;
  const int64_t before = rig.loop.now_ms();
  rig.wait(30);
  CHECK(rig.resort.waits());
  rig.loop.run();  // returns when nothing is waited for
  CHECK(rig.given_up == 1);
  CHECK(rig.loop.now_ms() - before >= 30);
  CHECK(rig.said.empty());
  CHECK_FALSE(rig.resort.waits());
}

TEST_CASE("what comes is not given up, and nothing is said of it") {
  Rig rig;
  rig.wait(60'000);
  rig.later.start(1, [&] { rig.resort.came(); });
  rig.loop.run();
  CHECK(rig.given_up == 0);
  CHECK(rig.said.empty());
}

TEST_CASE("who is in a hurry waits less, and never longer") {
  Rig rig;
  rig.wait(60'000);
  rig.later.start(1, [&] {
    rig.resort.hurry(20);
    rig.resort.hurry(50'000);
  });
  const int64_t before = rig.loop.now_ms();
  rig.loop.run();
  CHECK(rig.given_up == 1);
  CHECK(rig.loop.now_ms() - before < 30'000);
}

TEST_CASE("what takes long is named while it is waited for") {
  Rig rig;
  rig.wait(kSayMs + 20);
  rig.loop.run();
  CHECK(rig.said == std::vector<std::string>{"the end of it"});
  CHECK(rig.given_up == 1);
}

}  // namespace
}  // namespace orch::session
