#include "crew/flow.h"

#include <catch2/catch.hpp>

using namespace orch::crew;

namespace {

FlowSpec ping_pong(int max_hops) {
  return {{{"a", "PING", "b", "pong, please"}, {"b", "PONG", "a", "ping, please"}}, max_hops};
}

}  // namespace

TEST_CASE("a rule applies when the turn ends in which its words were said") {
  Flow flow(ping_pong(20));
  flow.on_words("b", "PING is not mine to say");
  CHECK(flow.on_turn_ended("b").nudges.empty());
  flow.on_words("a", "here is PING, and");
  flow.on_words("a", "PING again");
  CHECK(flow.on_turn_ended("b").nudges.empty());
  const auto outcome = flow.on_turn_ended("a");
  REQUIRE(outcome.nudges.size() == 1);
  CHECK(outcome.nudges[0] == Flow::Handover{"a", "b", "pong, please"});
  CHECK(flow.on_turn_ended("a").nudges.empty());
}

TEST_CASE("what an agent shows of an old conversation before its turn calls for nothing") {
  Flow flow(ping_pong(20));
  flow.on_words("a", "PING, I said long ago");
  flow.on_told("a");
  flow.on_words("a", "what is it?");
  CHECK(flow.on_turn_ended("a").nudges.empty());
  flow.on_told("a");
  flow.on_words("a", "PING");
  flow.on_told("b");
  CHECK(flow.on_turn_ended("a").nudges.size() == 1);
}

TEST_CASE("rules that call on each other come to an end, and a person begins anew") {
  Flow flow(ping_pong(5));
  int nudges = 0, stops = 0;
  const auto talk = [&] {
    for (int i = 0; i < 20; ++i) {
      const bool even = i % 2 == 0;
      flow.on_words(even ? "a" : "b", even ? "PING" : "PONG");
      const auto outcome = flow.on_turn_ended(even ? "a" : "b");
      nudges += static_cast<int>(outcome.nudges.size());
      stops += outcome.stopped ? 1 : 0;
    }
  };
  talk();
  CHECK(nudges == 5);
  CHECK(stops == 1);
  flow.on_person();
  talk();
  CHECK(nudges == 10);
  CHECK(stops == 2);
}

TEST_CASE("messages of agents count as the rules' nudges do, and a person begins anew") {
  Flow flow(ping_pong(2));
  flow.on_words("a", "PING");
  CHECK(flow.on_turn_ended("a").nudges.size() == 1);
  CHECK(flow.on_message());
  CHECK_FALSE(flow.on_message());
  flow.on_words("b", "PONG");
  CHECK(flow.on_turn_ended("b").stopped);
  CHECK_FALSE(flow.on_message());
  flow.on_person();
  CHECK(flow.on_message());
}
