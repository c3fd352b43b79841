#include "issue/race.h"

#include <algorithm>
#include <catch2/catch.hpp>

using orch::issue::Racer;
using orch::issue::RaceRecord;
using orch::issue::racers_of;
using orch::issue::why_not;
using orch::issue::winner_of;

namespace {

// A racer that may win.
Racer racer(const std::string& name) {
  Racer racer;
  racer.name = racer.agent = name;
  racer.run = "run-of-" + name;
  racer.reason = "complete";
  racer.is_completed = true;
  racer.began = "c0";
  racer.files = 2;
  racer.lines = 20;
  racer.gates = 0;
  racer.cost_usd = 1;
  racer.ms = 1'000;
  return racer;
}

RaceRecord race_of(std::vector<Racer> racers) {
  RaceRecord race;
  race.issue = "42";
  race.repository = "/r";
  race.commit = "c0";
  race.began = "2026-11-30T12:00:00.000Z";
  race.racers = std::move(racers);
  return race;
}

std::string winner(const RaceRecord& race) {
  const Racer* best = winner_of(race);
  return best == nullptr ? "" : best->name;
}

}  // namespace

TEST_CASE("files count before lines, lines before cost, cost before time, time before the order") {
  Racer more_files = racer("files"), more_lines = racer("lines"), dearer = racer("cost"),
        unknown = racer("unknown"), slower = racer("slow"), first = racer("first"),
        last = racer("last");
  more_files.files = 3;
  more_files.lines = 1;
  more_lines.lines = 21;
  more_lines.cost_usd = 0;
  dearer.cost_usd = 2;
  dearer.ms = 1;
  unknown.cost_usd.reset();
  unknown.ms = 0;
  slower.ms = 1'001;
  const std::vector<Racer> best_last{more_files, more_lines, unknown, dearer, slower, first, last};
  for (size_t from = 0; from + 1 < best_last.size(); ++from) {
    std::vector<Racer> some(best_last.begin() + static_cast<long>(from), best_last.end());
    CHECK(winner(race_of(some)) == "first");
    some.erase(std::find(some.begin(), some.end(), first));
    CHECK(winner(race_of(some)) == "last");
    std::vector<Racer> two{best_last[from], best_last[from + 1]};
    CHECK(winner(race_of(two)) == (from + 2 == best_last.size() ? "first" : two[1].name));
  }
}

TEST_CASE("the same recorded results give the same winner, in whatever order they ended") {
  std::vector<Racer> racers{racer("a"), racer("b"), racer("c")};
  racers[1].lines = 3;
  RaceRecord race = race_of(racers);
  race.winner = winner(race);
  CHECK(race.winner == "b");
  std::reverse(race.racers.begin(), race.racers.end());
  CHECK(winner(race) == "b");
}

TEST_CASE("who did not complete, changed nothing or failed the gates cannot win") {
  struct Row {
    void (*spoil)(Racer& racer);
    std::string why;
  };
  const Row row = GENERATE(
      Row{[](Racer& r) { r.run.clear(); }, "it did not begin"},
      Row{[](Racer& r) { r.is_completed = false, r.reason = "timeout"; },
          "it did not complete (timeout)"},
      Row{[](Racer& r) { r.began = "c1"; }, "it began from another commit"},
      Row{[](Racer& r) { r.trouble = "it is odd"; }, "it is odd"},
      Row{[](Racer& r) { r.files = 0; }, "it changed only protected paths, or none"},
      Row{[](Racer& r) { r.gates.reset(); }, "its gates did not run again"},
      Row{[](Racer& r) { r.gates = 20; }, "its gates did not pass on a clean checkout (exit 20)"});
  Racer bad = racer("bad"), good = racer("good");
  bad.files = 1;
  row.spoil(bad);
  RaceRecord race = race_of({bad, good});
  race.protect = {"tests"};
  CHECK(why_not(bad, race) == row.why);
  CHECK(winner(race) == "good");
  race.racers.pop_back();
  CHECK(winner(race) == "");
}

TEST_CASE("each racer has a name of its own, which a run can have") {
  const auto racers = racers_of("42", {"claude", "claude:opus-4.5", "codex", "claude", "claude"});
  REQUIRE(racers);
  std::vector<std::string> names;
  for (const Racer& each : *racers) names.push_back(each.name);
  CHECK(names == std::vector<std::string>{"42-claude", "42-claude-opus-4-5", "42-codex",
                                          "42-claude-2", "42-claude-3"});
  CHECK((*racers)[1].model == "opus-4.5");
  const auto longest = racers_of(std::string(64, 'i'), {"claude"});
  REQUIRE(longest);
  CHECK((*longest)[0].name == std::string(57, 'i') + "-claude");
  for (const char* word : {"", ":", "claude:", "../x", "a b"}) CHECK_FALSE(racers_of("1", {word}));
}
