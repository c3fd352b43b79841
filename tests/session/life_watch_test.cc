#include "session/life_watch.h"

#include <catch2/catch.hpp>
#include <vector>

#include "loop/loop.h"

namespace orch::session {
namespace {

pty::LifeSigns signs(int64_t at_ms, int64_t cpu_ms) {
  return {.at_ms = at_ms, .processes = {{.pid = 7, .start = 1, .name = "agent", .cpu_ms = cpu_ms}}};
}

// A watch whose looks the test answers.
struct Looks {
  std::vector<LifeWatch::Found> looks;
  std::vector<std::pair<bool, std::string>> told;
  loop::Loop loop;
  LifeWatch watch{
      loop, [this](LifeWatch::Found found) { looks.push_back(std::move(found)); },
      [this](bool alive, const std::string& evidence) { told.emplace_back(alive, evidence); }};
};

TEST_CASE("an agent that does nothing between two looks shows no life, one that computes does") {
  for (const bool computes : {false, true}) {
    Looks it;
    it.watch.watch(1);
    REQUIRE(it.looks.size() == 1);
    it.looks[0](signs(0, 10));
    it.loop.run();
    REQUIRE(it.looks.size() == 2);
    CHECK(it.told.empty());
    it.looks[1](signs(2'000, computes ? 2'000 : 20));
    REQUIRE(it.told.size() == 1);
    CHECK(it.told[0].first == computes);
    CHECK(it.told[0].second.find("0 child processes, ") == 0);
  }
}

TEST_CASE("output, or the end of a process, during a watch is life, told once") {
  Looks it;
  SECTION("before the first look has an answer") { it.watch.watch(1); }
  SECTION("between the looks") {
    it.watch.watch(1);
    it.looks[0](signs(0, 10));
  }
  SECTION("before the second look has an answer") {
    it.watch.watch(1);
    it.looks[0](signs(0, 10));
    it.loop.run();
    REQUIRE(it.looks.size() == 2);
  }
  it.watch.saw_life();
  it.watch.saw_life();
  REQUIRE(it.told.size() == 1);
  CHECK(it.told[0].first);
  it.looks.back()(signs(2'000, 10));  // this answer comes late
  it.loop.run();
  CHECK(it.told.size() == 1);
}

TEST_CASE("a watch begins from nothing, whatever the one before it still finds") {
  Looks it;
  it.watch.watch(1);
  it.looks[0](signs(0, 10));
  it.watch.watch(1);
  it.looks[1](signs(3'000, 10));
  it.looks[0](signs(0, 10));
  it.loop.run();
  REQUIRE(it.looks.size() == 3);
  it.looks[2](signs(5'000, 10));
  REQUIRE(it.told.size() == 1);
  CHECK_FALSE(it.told[0].first);
}

TEST_CASE("what cannot be looked at is taken for alive") {
  Looks it;
  it.watch.watch(1);
  SECTION("at first") { it.looks[0](std::nullopt); }
  SECTION("later") {
    it.looks[0](signs(0, 10));
    it.loop.run();
    it.looks[1](std::nullopt);
  }
  REQUIRE(it.told.size() == 1);
  CHECK(it.told[0].first);
}

}  // namespace
}  // namespace orch::session
