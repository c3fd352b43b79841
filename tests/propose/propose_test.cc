#include "propose/propose.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "adapters/embedded.h"
#include "adapters/lint.h"
#include "adapters/manifest.h"

namespace orch::propose {
namespace {

using event::AgentStatus;

std::string generic() {
  for (const adapters::EmbeddedManifest& embedded : adapters::embedded_manifests()) {
    if (embedded.name == "generic") return std::string(embedded.text);
  }
  return "";
}

Moment rest(int enters, const char* row) { return {0, true, enters, {row}}; }
Moment sample(int enters, const char* row) { return {0, false, enters, {row}}; }

// As if each further rule were right about more.
size_t more_is_better(const std::string& manifest) { return manifest.size(); }

}  // namespace

TEST_CASE("a rule with which no more examples are right is left out") {
  const std::vector<Example> examples{{1, AgentStatus::kWaiting, {"Allow once"}},
                                      {2, AgentStatus::kWaiting, {"Allow once"}},
                                      {3, AgentStatus::kIdle, {"a"}},
                                      {4, AgentStatus::kIdle, {"b"}}};
  const auto text = [&](const Measure& measure) {
    return manifest_text(generic(), {"mine", {"mine"}}, examples, measure);
  };
  CHECK(text(more_is_better).find("learned-waiting") != std::string::npos);
  CHECK(text([](const std::string&) { return 3; }).find("learned-") == std::string::npos);
}

TEST_CASE("an example is right if its status was said last before it") {
  const std::vector<Said> said{{10, AgentStatus::kWorking}, {20, AgentStatus::kIdle}};
  const auto right = [&](int64_t ms, AgentStatus status) {
    return agreed(said, {{ms, status, {}}}) == 1;
  };
  CHECK_FALSE(right(9, AgentStatus::kWorking));
  CHECK(right(10, AgentStatus::kWorking));
  CHECK_FALSE(right(20, AgentStatus::kWorking));
  CHECK(right(99, AgentStatus::kIdle));
}

TEST_CASE("the agent works from Enter to the next rest that is answered") {
  const std::vector<Moment> moments{rest(0, "ready"),   sample(0, "starts"),   sample(1, "works"),
                                    rest(1, "thinks"),  sample(1, "works on"), rest(1, "done"),
                                    sample(1, "blinks")};
  Answers answers(moments.size());
  answers[0] = answers[5] = AgentStatus::kIdle;
  std::vector<std::string> seen;
  for (const Example& example : examples_of(moments, answers)) {
    seen.push_back(std::string(event::name(example.status)) + ": " + example.rows[0]);
  }
  CHECK(seen == std::vector<std::string>{"idle: ready", "idle: done", "working: works",
                                         "working: works on"});
}

TEST_CASE("a proposal is a manifest without mistakes, its rules before those for any agent") {
  const std::vector<Example> examples{{1, AgentStatus::kIdle, {"> ", "? for shortcuts"}},
                                      {2, AgentStatus::kIdle, {"> x", "? for shortcuts"}},
                                      {3, AgentStatus::kWaiting, {"Run it?", "Allow once"}},
                                      {4, AgentStatus::kWaiting, {"Allow once"}},
                                      {5, AgentStatus::kWorking, {"> ", "esc to interrupt"}},
                                      {6, AgentStatus::kWorking, {"esc to interrupt"}}};
  const std::string text =
      manifest_text(generic(), {"mine", {"mine", "--x"}}, examples, more_is_better);
  CHECK(adapters::lint_manifest(text, "mine.json") == std::vector<std::string>{});
  const adapters::Manifest manifest = adapters::parse_manifest(text, "mine.json").value();
  CHECK(manifest.name == "mine");
  CHECK(manifest.program == std::vector<std::string>{"mine", "--x"});
  CHECK(manifest.guessed);
  REQUIRE(manifest.rules.rules.size() > 3);
  CHECK(manifest.rules.rules[0].id == "learned-waiting");
  CHECK(manifest.rules.rules[1].id == "learned-working");
  CHECK(manifest.rules.rules[2].id == "learned-idle");
  CHECK(text.find("on 2 of 2 screens of this status, on none of 4 others") != std::string::npos);
}

TEST_CASE("without an answer a proposal has the rules for any agent alone") {
  const std::string text = manifest_text(generic(), {"mine", {"mine"}}, {}, more_is_better);
  CHECK(text.find("learned-") == std::string::npos);
  CHECK(adapters::lint_manifest(text, "mine.json") == std::vector<std::string>{});
}

}  // namespace orch::propose
