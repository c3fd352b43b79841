#include "session/agent_process.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "agent_fixture.h"
#include "live_run.h"

namespace orch::session {
namespace {

// A source that records what it is told: "pause", "resume", and what is written.
class KeepingSource final : public Source {
 public:
  explicit KeepingSource(std::vector<std::string>& told) : told_(told) {}
  void write(std::string bytes) override { told_.push_back(std::move(bytes)); }
  void resize(int, int) override {}
  void pause() override { told_.emplace_back("pause"); }
  void resume() override { told_.emplace_back("resume"); }
  void stop(StopOrder) override {}

 private:
  std::vector<std::string>& told_;
};

class DeafObserver final : public SourceObserver {
 public:
  void on_output(std::string_view) override {}
  void on_end(pty::ExitStatus) override {}
};

TEST_CASE("an agent that is paused between two turns is paused in the next one, until it goes on") {
  const StateDir state;
  loop::Loop loop;
  DeafObserver observer;
  std::vector<std::string> told;
  SessionSetup setup;
  setup.manifest = agent_named("command").manifest;
  setup.launch.argv = {"/bin/true"};
  setup.cwd = "/";
  setup.mode = Mode::kHeadless;
  setup.source = [&told](loop::Loop&, const pty::SpawnPlan&, SourceObserver&) {
    return base::Result<std::unique_ptr<Source>>(std::make_unique<KeepingSource>(told));
  };
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  AgentProcess agent(loop, setup, *dir, nullptr);
  REQUIRE(agent.start(observer));
  agent.pause();
  REQUIRE(agent.start_turn({.resume = {}, .input = "first", .more_input = true}, observer));
  CHECK(told == std::vector<std::string>{"pause", "first"});
  agent.end_turn();
  agent.resume();
  REQUIRE(agent.start_turn({.resume = {}, .input = "second", .more_input = true}, observer));
  CHECK(told == std::vector<std::string>{"pause", "first", "second"});
}

}  // namespace
}  // namespace orch::session
