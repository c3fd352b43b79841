#include "accuracy/mutation.h"

#include <catch2/catch.hpp>

#include "accuracy/altered_replay.h"

namespace orch::accuracy {
namespace {

// A manifest whose agent works while the title begins with a star, and is idle while a row says
// "Ready", or, with `spare`, any words.
adapters::Manifest manifest_with(bool spare) {
  std::string json = R"({"manifest": 1, "name": "toy", "rules": [
    {"id": "title", "status": "working", "priority": 20, "when": [{"in": "title", "match": "^★"}]},
    {"id": "row", "status": "idle", "priority": 10, "when": [{"in": "screen", "match": "^Ready"}]})";
  if (spare) {
    json += R"(, {"id": "any", "status": "idle", "when": [{"in": "screen", "match": "\\S"}]})";
  }
  return adapters::parse_manifest(json + "]}", "toy.json").value();
}

// An agent that is idle for a second, works until second 10, and is idle until second 20.
std::vector<Recording> recordings() {
  store::Cast cast = store::parse_cast(R"({"version": 2, "width": 80, "height": 24, "duration": 20}
[0, "m", "state=idle"]
[0, "o", "Ready"]
[0.9, "i", "x"]
[1, "m", "state=working"]
[1, "o", "\u001b]2;★\u0007"]
[10, "m", "state=idle"]
[10, "o", "\u001b]2;-\u0007"]
)")
                         .value();
  Truth truth = truth_of(cast).value();
  std::vector<Recording> all;
  all.push_back({std::move(cast), std::move(truth)});
  return all;
}

MutatedAgent agent_with(double fall, int drops) {
  Score score;
  score.drops = drops;
  return {"toy", {}, {{"★", score, fall}, {"Ready", {}, 0}}};
}

}  // namespace

TEST_CASE("A status that hangs on one literal is lost without it") {
  const base::Result<MutatedAgent> agent = mutate(manifest_with(false), recordings());
  REQUIRE(agent);
  CHECK(agent->whole.drops == 0);
  REQUIRE(agent->mutants.size() == 2 + kAlterations.size());
  CHECK(agent->mutants[0].fall > 40);  // without it nothing is ever idle
  CHECK(agent->mutants[0].literal == "Ready");
  CHECK(agent->mutants[1].literal == "★");
  CHECK(agent->mutants[1].fall > 40);
  CHECK(breaches(*agent, {}).size() == 2);
}

TEST_CASE("A second piece of evidence makes up for a literal") {
  const base::Result<MutatedAgent> agent = mutate(manifest_with(true), recordings());
  REQUIRE(agent);
  REQUIRE(agent->mutants.size() == 2 + kAlterations.size());
  CHECK(agent->mutants[0].literal == "★");
  CHECK(agent->mutants[1].literal == "Ready");
  CHECK(agent->mutants[1].fall < kMostFall);
  CHECK(breaches(*agent, {{"toy", "★", "the only sign of work"}}).empty());
}

TEST_CASE("A literal may cost a point and no drop, unless it is an exception") {
  CHECK(breaches(agent_with(1, 0), {}).empty());
  CHECK(breaches(agent_with(1.01, 0), {}).size() == 1);
  CHECK(breaches(agent_with(0, 1), {}).size() == 1);
  CHECK(breaches(agent_with(50, 3), {{"toy", "★", "why"}}).empty());
  CHECK(breaches(agent_with(50, 3), {{"other", "★", "why"}}).size() == 1);
}

TEST_CASE("Exceptions are few and name literals that exist") {
  const std::vector<Exception> unknown = {{"toy", "gone", "why"}};
  CHECK(breaches(agent_with(0, 0), unknown).size() == 1);
  const std::vector<Exception> five(5, {"toy", "★", "why"}), six(6, {"toy", "★", "why"});
  CHECK(breaches(agent_with(0, 0), five).empty());
  CHECK(breaches(agent_with(0, 0), six).size() == 1);
}

TEST_CASE("Exceptions are JSON lines, and a bad one is named") {
  const auto exceptions =
      parse_exceptions("{\"agent\":\"a\",\"literal\":\"[★]\",\"why\":\"w\"}\n\n");
  REQUIRE(exceptions);
  REQUIRE(exceptions->size() == 1);
  CHECK(exceptions->front().literal == "[★]");
  for (const char* bad : {"x", "[]", "{\"agent\":\"a\",\"literal\":\"b\"}",
                          "{\"agent\":1,\"literal\":\"b\",\"why\":\"c\"}"}) {
    const auto read = parse_exceptions("\n" + std::string(bad));
    INFO(bad);
    REQUIRE_FALSE(read);
    CHECK(read.error().text.find("line 2: ") == 0);
  }
}

TEST_CASE("The table lists what costs something, the worst first and no more than asked for") {
  MutatedAgent agent = agent_with(12.5, 3);
  agent.mutants[1].fall = 0.5;
  const std::string text = table({agent}, 9);
  CHECK(text.find("toy ★") < text.find("toy Ready"));
  CHECK(text.find("12.50") != std::string::npos);
  CHECK(table({agent}, 1).find("toy Ready") == std::string::npos);
  agent.mutants[1].fall = 0;
  CHECK(table({agent}, 9).find("toy Ready") == std::string::npos);
}

}  // namespace orch::accuracy
