#include "propose/traits.h"

#include <catch2/catch.hpp>

namespace orch::propose {
namespace {

using event::AgentStatus;
using Rows = std::vector<std::string>;

std::vector<Example> session() {
  return {
      {0, AgentStatus::kIdle, {"answer one", "> ", "? for shortcuts"}},
      {0, AgentStatus::kIdle, {"answer two", "> ", "? for shortcuts"}},
      {0, AgentStatus::kWorking, {"answer one", "✻ Thinking 3s (esc to interrupt)", "> "}},
      {0, AgentStatus::kWorking, {"answer two", "✽ Thinking 41s (esc to interrupt)", "> "}},
      {0, AgentStatus::kWaiting, {"rm -rf build", "Do you want to run this?", "1. Yes", "2. No"}},
      {0, AgentStatus::kWaiting, {"make test", "Do you want to run this?", "1. Yes", "2. No"}}};
}

}  // namespace

TEST_CASE("the trait of a status is what all of its screens have, and no other") {
  const std::vector<Trait> waiting = traits_of(AgentStatus::kWaiting, session());
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0] == Trait{"Yes", 2, 2});
  const std::vector<Trait> idle = traits_of(AgentStatus::kIdle, session());
  REQUIRE(idle.size() == 1);
  CHECK(idle[0] == Trait{"\\? for shortcuts", 1, 2});
}

TEST_CASE("numbers are any number, and signs are one class") {
  std::vector<Example> examples = session();
  examples[2].rows[1] = "✻ 3s";
  examples[3].rows[1] = "✽ 41s";
  std::vector<Trait> working = traits_of(AgentStatus::kWorking, examples);
  REQUIRE(working.size() == 1);
  CHECK(working[0] == Trait{"^\\s*[✻✽] ", 2, 2});
  examples[2].rows[1] = "took 3s";
  examples[3].rows[1] = "took 41s";
  working = traits_of(AgentStatus::kWorking, examples);
  REQUIRE(working.size() == 1);
  CHECK(working[0] == Trait{"took \\d+s", 2, 2});
}

TEST_CASE("what a screen of another status has, too, is no trait") {
  std::vector<Example> examples = session();
  for (Example& example : examples) example.rows = {"the same on all"};
  CHECK(traits_of(AgentStatus::kWaiting, examples).empty());
  CHECK(traits_of(AgentStatus::kError, session()).empty());
}

TEST_CASE("what one screen has, or where no others are known, is no trait") {
  std::vector<Example> examples = session();
  examples.erase(examples.begin() + 5);
  CHECK(traits_of(AgentStatus::kWaiting, examples).empty());
  CHECK(traits_of(AgentStatus::kIdle, {examples[0], examples[1], examples[2]}).empty());
}

TEST_CASE("several kinds of screens have a trait each") {
  std::vector<Example> examples = session();
  examples.push_back({0, AgentStatus::kWaiting, {"Trust the folder"}});
  examples.push_back(examples.back());
  const std::vector<Trait> waiting = traits_of(AgentStatus::kWaiting, examples);
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[1] == Trait{"Yes", 2, 2});
  CHECK(waiting[0] == Trait{"Trust the folder", 1, 2});
}

}  // namespace orch::propose
