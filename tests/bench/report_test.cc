#include "accuracy/report.h"

#include <catch2/catch.hpp>

namespace orch::accuracy {
namespace {

using enum event::AgentStatus;

// A recording in which an agent works for 100 s, and is called idle for `false_idle` in the middle.
ScoredRecording recording(const std::string& agent, const std::string& name, Ms false_idle) {
  const Truth truth{{{0, 100'000, kWorking}}, 100'000};
  Timeline timeline = {{0, kWorking}};
  if (false_idle > 0) {
    timeline.push_back({50'000, kIdle});
    timeline.push_back({50'000 + false_idle, kWorking});
  }
  return {agent, agent + "/" + name, {score(truth, timeline), 100, 0.5}};
}

}  // namespace

TEST_CASE("The table has a line per agent and the total") {
  const std::vector<ScoredRecording> recordings = {
      recording("codex", "a", 0), recording("claude", "a", 2000), recording("claude", "b", 0)};
  const std::string text = table(recordings);
  const size_t claude = text.find("\nclaude "), codex = text.find("\ncodex "),
               total = text.find("\nTOTAL ");
  REQUIRE(total != std::string::npos);
  CHECK(claude < codex);
  CHECK(codex < total);
  CHECK(text.substr(total).find("300s") != std::string::npos);
  CHECK(text.substr(total).find("99.3") != std::string::npos);
  CHECK(text.substr(total).find("200x\n") != std::string::npos);
}

TEST_CASE("The longest failures come first and no more than asked for") {
  const std::vector<ScoredRecording> recordings = {
      recording("codex", "a", 500), recording("claude", "a", 2000), recording("qwen", "b", 1000)};
  const std::string text = worst(recordings, 2);
  CHECK(text.find("   2.00s  claude/a ") == 0);
  CHECK(text.find("50.00-  52.00  truth working, tool idle\n") != std::string::npos);
  CHECK(text.find("qwen/b") != std::string::npos);
  CHECK(text.find("codex/a") == std::string::npos);
}

TEST_CASE("A requirement has one figure for all and others for some") {
  const auto requirement = parse_requirement("99,copilot=95,qwen=97.5");
  REQUIRE(requirement);
  CHECK(requirement->percent == 99);
  CHECK(requirement->percent_of == std::map<std::string, double>{{"copilot", 95}, {"qwen", 97.5}});
  for (const char* bad : {"", "x", "99,", "=99", "101", "-1", "copilot=", "99 ", "nan"}) {
    INFO(bad);
    CHECK_FALSE(parse_requirement(bad));
  }
}

TEST_CASE("What falls short is named, agent by agent") {
  const Requirement requirement{99, {{"qwen", 97}}};
  CHECK(shortfalls(std::vector{recording("codex", "a", 0)}, requirement).empty());
  CHECK(shortfalls(std::vector{recording("codex", "a", 1500)}, requirement) ==
        std::vector<std::string>{"codex: 1 drops",
                                 "codex: 1 times falsely idle for a second or more",
                                 "codex: acc_len 98.50, 99 required"});
  CHECK(shortfalls(std::vector{recording("qwen", "a", 1500)}, requirement).size() == 2);

  ScoredRecording missing = recording("codex", "a", 0);
  missing.result.score.misses = 3;
  CHECK(shortfalls(std::vector{missing}, requirement) ==
        std::vector<std::string>{"codex: 3 misses"});
}

TEST_CASE("Recordings without any truth meet no requirement") {
  const ScoredRecording blank{"codex", "codex/a", {score({{}, 1000}, {}), 1, 0.1}};
  CHECK_FALSE(shortfalls(std::vector{blank}, {1, {}}).empty());
}

}  // namespace orch::accuracy
