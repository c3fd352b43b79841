#include "demo/player.h"

#include <catch2/catch.hpp>

using namespace orch::demo;

namespace {

std::vector<std::string> rows_of(const Player& player) {
  std::vector<std::string> rows;
  for (const Line& line : player.transcript().rows()) {
    rows.emplace_back();
    for (const Run& run : line) rows.back() += run.text;
  }
  return rows;
}

void play(Player& player, int64_t until_ms) {
  while (player.deadline() && *player.deadline() <= until_ms) player.on_time(*player.deadline());
}

}  // namespace

TEST_CASE("every scenario plays to its end, and the same however coarse the calls are") {
  for (const Scenario& scenario : scenarios()) {
    INFO(scenario.name);
    Player fine(scenario, {}, 60), coarse(scenario, {}, 60);
    for (Player* player : {&fine, &coarse}) player->begin("hello", 0);
    play(fine, 100'000);
    coarse.on_time(100'000);
    CHECK(rows_of(fine) == rows_of(coarse));
    CHECK(fine.state() == coarse.state());
    CHECK((fine.state() != Player::State::kBusy) == (scenario.name != "hang"));
  }
}

TEST_CASE("the seed changes how text is streamed, not what is said") {
  const Scenario& scenario = *scenario_named("default");
  Player one(scenario, {.seed = 1}, 60), two(scenario, {.seed = 2}, 60);
  int differing = 0;
  for (Player* player : {&one, &two}) player->begin("hello", 0);
  for (int64_t at = 0; at < 3000; at += kStreamTickMs) {
    one.on_time(at);
    two.on_time(at);
    if (rows_of(one) != rows_of(two)) ++differing;
  }
  CHECK(differing > 0);
  play(one, 100'000);
  play(two, 100'000);
  std::vector<std::string> last_one = rows_of(one), last_two = rows_of(two);
  last_one.pop_back();  // the time in "Worked for" may differ
  last_two.pop_back();
  CHECK(last_one == last_two);
}

TEST_CASE("counting says every line once and in order") {
  Player player(*scenario_named("long"), {.lines = 25}, 60);
  player.begin("go", 0);
  play(player, 100'000);
  const std::vector<std::string> rows = rows_of(player);
  REQUIRE(rows.size() > 28);
  for (int n = 1; n <= 25; ++n) {
    const std::string text = "line " + std::to_string(n) + " of 25";
    CHECK(rows[static_cast<size_t>(n + 2)] == (n == 1 ? "● " : "  ") + text);
  }
}

TEST_CASE("the keyword comes with the third message of 'continue'") {
  Player player(*scenario_named("continue"), {}, 60);
  for (int n = 1; n <= 3; ++n) {
    player.begin("go on", 0);
    play(player, 100'000);
    const std::vector<std::string> rows = rows_of(player);
    CHECK((std::find(rows.begin(), rows.end(), "  LOOP_COMPLETE") != rows.end()) == (n == 3));
  }
}

TEST_CASE("a speed of 0 plays a turn at once, a speed of 2 takes twice as long") {
  Player at_once(*scenario_named("plain"), {.speed = 0}, 60),
      slow(*scenario_named("plain"), {.speed = 2}, 60);
  at_once.begin("go", 10);
  at_once.on_time(10);
  CHECK(at_once.state() == Player::State::kIdle);
  slow.begin("go", 10);
  CHECK(slow.deadline() == 10 + 2 * 600);
}
