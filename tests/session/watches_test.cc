#include "session/watches.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "agent_fixture.h"
#include "live_run.h"

namespace orch::session {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kId = "0b5c8a52-6f1e-4d6e-9a0f-3b1a5c1f2e7d";

// The watches for a claude that does not run: the test writes its files.
class Scene {
 public:
  Scene() {
    setup_.manifest = agent_named("claude").manifest;
    setup_.launch.argv = {"/bin/true"};
    setup_.launch.env = {{"CLAUDE_CONFIG_DIR", state_.parent()}};
    setup_.cwd = "/";
    setup_.mode = Mode::kHeadless;
    auto made = store::RunDir::create(state_.path(), std::chrono::system_clock::now(), "t1");
    REQUIRE(made);
    agent_.emplace(loop_, setup_, *made, nullptr);
    REQUIRE(agent_->start(observer_));
    watches.emplace(loop_, setup_, *agent_, made->id(), std::chrono::system_clock::now(),
                    Watches::Told{.on_life = [](bool, const std::string&) {},
                                  .on_usage = [](const event::Usage&) {},
                                  .on_own_session =
                                      [this](const AgentTranscriptFile::OwnSession& own) {
                                        sessions.push_back(own.id);
                                      }});
  }

  void write_down(const std::string& message) const {
    const std::string folder = state_.parent() + "/projects/-";
    fs::create_directories(folder);
    std::ofstream(folder + "/a.jsonl")
        << R"({"type":"user","sessionId":")" << kId << R"(","message":{"content":")" << message
        << R"("},"timestamp":")" << store::rfc3339_utc(std::chrono::system_clock::now()) << "\"}\n";
  }
  void run() { loop_.run(); }  // returns when nothing is looked for any more
  loop::Loop& loop() { return loop_; }

 private:
  class Deaf final : public SourceObserver {
    void on_output(std::string_view) override {}
    void on_end(pty::ExitStatus) override {}
  };
  const StateDir state_;
  loop::Loop loop_;
  Deaf observer_;
  SessionSetup setup_;
  std::optional<AgentProcess> agent_;

 public:
  std::optional<Watches> watches;
  std::vector<std::string> sessions;  // as they were reported
};

TEST_CASE("an agent's own session is looked for until its file is there, and told once") {
  Scene it;
  it.watches->on_message_taken("go on", std::chrono::system_clock::now());
  loop::Timer later(it.loop());
  later.start(600, [&] { it.write_down("go on"); });  // after two looks
  it.run();
  CHECK(it.sessions == std::vector{std::string(kId)});
}

TEST_CASE("the session of an earlier conversation is not taken for that of a new one") {
  Scene it;
  it.write_down("go on");
  it.watches->on_message_taken("go on", std::chrono::system_clock::now());
  SECTION("it was begun anew") { it.watches->on_new_conversation(""); }
  SECTION("its process has ended") { it.watches->on_process_end(); }
  it.run();
  CHECK(it.sessions.empty());
}

}  // namespace
}  // namespace orch::session
