// The interfaces suffice: a session works with a source that is not a terminal, and with a driver
// that has no screen.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agent_fixture.h"
#include "live_run.h"
#include "toy_driver.h"
#include "toy_source.h"

namespace orch::session {
namespace {

using event::ExitReason;

std::string line(const nlohmann::json& json) { return json.dump() + "\n"; }

// An agent that speaks the toy driver's JSON: it asks to run `command`, and says that it is done
// when it gets a second message.
ToySource::Peer json_agent(std::string command, std::vector<std::string>& heard) {
  return [command = std::move(command), turns = 0, &heard](std::string_view written) mutable {
    if (written.empty()) return std::string();
    heard.emplace_back(written);
    const auto said = nlohmann::json::parse(written);
    if (said.contains("user")) {
      if (++turns == 1) return line({{"say", "First a command."}}) + line({{"ask", command}});
      return line({{"say", "LOOP_COMPLETE"}}) + line({{"done", true}});
    }
    return line({{"say", "It was " + std::string(said["answer"])}}) + line({{"done", true}});
  };
}

DriverFactory toy_driver() {
  return [](const SessionSetup&, base::TimeMs) { return std::make_unique<ToyDriver>(); };
}

std::vector<std::string> words_of(const LiveRun& live) {
  std::vector<std::string> words;
  for (const event::Event& event : live.events()) {
    if (const auto* output = std::get_if<event::Output>(&event)) words.push_back(output->text);
  }
  return words;
}

TEST_CASE("the screen driver reads an agent that is not on a terminal of ours") {
  const StateDir state;
  LiveRun live(state.path());
  ToySource* source = nullptr;
  live.source = ToySource::factory(
      [&source](std::string_view) {
        source->end(0);
        return std::string("hello\r\n\033[cworld\r\n");  // a terminal would answer this query
      },
      &source);
  REQUIRE(live.start({"nothing"}).ok());
  live.run();
  CHECK(live.session().result().reason == ExitReason::kExit);
  CHECK(words_of(live) == std::vector<std::string>{"hello", "world"});
}

TEST_CASE("a run to completion over an agent without a screen: turns, a dialog by policy, an end") {
  const StateDir state;
  LiveRun live(state.path());
  std::vector<std::string> heard;
  live.plan.until = run::Until::kComplete;
  live.plan.prompt = "port it";
  live.plan.work_dir = "/work";
  live.plan.policy = std::make_shared<policy::Policy>(policy::Policy::all());
  live.source = ToySource::factory(json_agent("make test", heard));
  live.driver = toy_driver();
  REQUIRE(live.start({"nothing"}).ok());
  live.run();
  CHECK(live.session().result().reason == ExitReason::kComplete);
  CHECK(live.session().result().turns == 2);
  REQUIRE(heard.size() == 3);
  CHECK(heard[0] == line({{"user", "port it"}}));
  CHECK(heard[1] == line({{"answer", "allow"}}));
  CHECK(words_of(live) ==
        std::vector<std::string>{"First a command.", "It was allow", "LOOP_COMPLETE"});
}

TEST_CASE("the denylist is asked about what an agent without a screen wants to run") {
  const StateDir state;
  LiveRun live(state.path());
  std::vector<std::string> heard;
  live.plan.until = run::Until::kComplete;
  live.plan.prompt = "tidy up";
  live.plan.work_dir = "/work";
  live.plan.policy = std::make_shared<policy::Policy>(policy::Policy::all());
  live.source = ToySource::factory(json_agent("rm -rf / # sign in", heard));
  live.driver = toy_driver();
  REQUIRE(live.start({"nothing"}).ok());
  live.run();
  REQUIRE(heard.size() == 3);
  CHECK(heard[1] == line({{"answer", "deny"}}));
}

TEST_CASE("a terminal is as high as its driver wants, for as long as it wants that") {
  const StateDir state;
  LiveRun live(state.path());
  std::vector<std::string> heard;
  live.plan.until = run::Until::kComplete;
  live.plan.prompt = "port it";
  live.plan.work_dir = "/work";
  live.plan.policy = std::make_shared<policy::Policy>(policy::Policy::all());
  live.source = ToySource::factory(json_agent("make test", heard));
  live.driver = [](const SessionSetup&, base::TimeMs) { return std::make_unique<ToyDriver>(200); };
  REQUIRE(live.start({"nothing"}).ok());
  live.run();
  const std::string recording = content_of(live.session().run_dir().recording_file());
  const size_t higher = recording.find("x200\"]");
  REQUIRE(higher != std::string::npos);
  const std::string own = recording.substr(recording.find("\"height\":") + 9, 2);
  CHECK(recording.find("x" + own + "\"]", higher) != std::string::npos);
}

TEST_CASE("what asks an agent to quit is in the recording") {
  const StateDir state;
  LiveRun live(state.path());
  std::vector<std::string> heard;
  live.plan.until = run::Until::kIdle;
  live.plan.prompt = "look around";
  live.source = ToySource::factory([](std::string_view written) {
    return written.empty() ? std::string() : line({{"done", true}});
  });
  live.driver = toy_driver();
  REQUIRE(live.start({"nothing"}).ok());
  live.run();
  CHECK(live.session().result().reason == ExitReason::kIdle);
  CHECK(content_of(live.session().run_dir().recording_file()).find(R"({\"quit\":true})") !=
        std::string::npos);
}

// The agent's screen does not change any more, so no timer of the driver wakes the session.
TEST_CASE("a rate limit ends a run although nothing moves any more") {
  const StateDir state;
  LiveRun live(state.path());
  live.plan.until = run::Until::kIdle;
  live.plan.prompt = "look around";
  live.source = ToySource::factory([](std::string_view written) {
    return written.empty() ? std::string() : line({{"limit", "Please try again in 2m"}});
  });
  live.driver = toy_driver();
  REQUIRE(live.start({"nothing"}).ok());
  live.run();
  CHECK(live.session().result().reason == ExitReason::kRetryLater);
  CHECK(live.session().result().retry_after_s == 120);
  const int64_t left_ms = live.session().retry_after_ms().value_or(0);
  CHECK(left_ms > 110'000);
  CHECK(left_ms <= 120'000);
  CHECK(live.session().result().duration_ms < 2'000);
}

TEST_CASE("a session whose owner cannot go on ends at once, though nothing moves") {
  const StateDir state;
  LiveRun live(state.path());
  live.plan.until = run::Until::kComplete;
  live.plan.prompt = "look around";
  live.source = ToySource::factory([](std::string_view) { return std::string(); });
  live.driver = toy_driver();
  REQUIRE(live.start({"nothing"}).ok());
  live.fail_after_ms(50, "no place left");
  live.run();
  CHECK(live.session().result().reason == ExitReason::kInternal);
  CHECK(live.session().result().detail == "no place left");
  CHECK(live.session().result().duration_ms < 2'000);
}

}  // namespace
}  // namespace orch::session
