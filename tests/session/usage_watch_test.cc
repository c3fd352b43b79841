#include "session/usage_watch.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent_fixture.h"
#include "watched_folder.h"

namespace orch::session {
namespace {

namespace fs = std::filesystem;
using event::AgentStatus;

constexpr int64_t kUsagePatienceMs = 60'000;
constexpr const char* kFirstSession = "11111111-2222-4333-8444-555555555555";
constexpr const char* kNextSession = "77777777-2222-4333-8444-555555555555";

// The watch over a claude that is not there: the test writes its session files.
class UsageScene {
 public:
  UsageScene() {
    watch.emplace(
        loop_,
        UsageFiles(agent_named("claude").manifest->record, {"CLAUDE_CONFIG_DIR=" + home_.path()},
                   "/", started_),
        [this] {
          ++looks;
          if (when_asked) when_asked();
          return UsageWatch::Agent{.pid = 0, .session = session};
        },
        [this](const event::Usage& usage) {
          told.push_back(usage);
          if (when_told) when_told();
          loop_.stop();
        });
  }

  std::string file_of(const std::string& id) const {
    return home_ / ("projects/-/" + id + ".jsonl");
  }
  // One request's line in the file of the session.
  std::string line(const std::string& id, const std::string& in, const std::string& out) const {
    return R"({"type":"assistant","sessionId":")" + session + R"(","message":{"id":")" + id +
           R"(","usage":{"input_tokens":)" + in + R"(,"output_tokens":)" + out +
           R"(}},"timestamp":")" + store::rfc3339_utc(started_ + std::chrono::seconds(1)) + "\"}\n";
  }
  void write(const std::string& text) const {
    fs::create_directories(fs::path(file_of(session)).parent_path());
    std::ofstream(file_of(session), std::ios::app) << text;
  }
  void write(const std::string& id, int in, int out) const {
    write(line(id, std::to_string(in), std::to_string(out)));
  }

  void run_until_told() {
    loop::Timer deadline(loop_);
    deadline.start(kUsagePatienceMs, [this] { loop_.stop(); });
    const size_t before = told.size();
    loop_.run();
    REQUIRE(told.size() > before);
  }
  // Until the watch waits for nothing any more.
  void run_out() { loop_.run(); }
  loop::Loop& loop() { return loop_; }

  std::string session = kFirstSession;  // that the agent was told to begin
  std::vector<event::Usage> told;
  int looks = 0;                     // how often it was asked who the agent is
  std::function<void()> when_asked;  // in the middle of that
  std::function<void()> when_told;

 private:
  const store::TimePoint started_ = std::chrono::system_clock::now() - std::chrono::seconds(1);
  const WatchedFolder home_;
  loop::Loop loop_;

 public:
  std::optional<UsageWatch> watch;
};

TEST_CASE("what an agent uses is told while it works: each time what is new") {
  UsageScene it;
  it.watch->on_status(AgentStatus::kWorking);
  it.write("msg_1", 10, 4);
  it.run_until_told();
  it.write("msg_2", 20, 5);
  it.run_until_told();
  REQUIRE(it.told.size() == 2);
  CHECK(it.told[0].in == 10);
  CHECK(it.told[0].out == 4);
  CHECK(it.told[1].in == 20);
  CHECK(it.told[1].out == 5);
  CHECK(it.told[1].source == "record");
  CHECK_FALSE(it.told[1].cost_usd);
}

TEST_CASE("a file that is not there at the first look is looked for again") {
  UsageScene it;
  it.when_asked = [&] {
    if (it.looks == 2) it.write("msg_1", 10, 4);
  };
  it.watch->on_status(AgentStatus::kWorking);
  it.run_until_told();
  CHECK(it.looks == 2);
  CHECK(it.told[0].in == 10);
}

TEST_CASE("what an agent writes down late is told after its turn, and then it is left alone") {
  UsageScene it;
  it.watch->on_status(AgentStatus::kWorking);
  it.when_asked = [&] {
    if (it.looks == 2) it.write("msg_1", 10, 4);  // the first one can be right at its end
  };
  it.watch->on_status(AgentStatus::kIdle);
  it.run_until_told();
  it.run_out();
  it.write("msg_2", 20, 5);
  it.run_out();
  CHECK(it.told.size() == 1);
}

TEST_CASE("a session that the agent has begun meanwhile is found at the end of its turn") {
  UsageScene it;
  it.watch->on_status(AgentStatus::kWorking);
  it.write("msg_1", 10, 4);
  it.run_until_told();
  it.session = kNextSession;
  it.write("msg_2", 20, 5);
  it.watch->on_status(AgentStatus::kIdle);
  it.run_until_told();
  CHECK(it.told.at(1).in == 20);
}

TEST_CASE("an agent whose status never rests is still counted") {
  UsageScene it;
  it.write("msg_1", 10, 4);
  std::vector<AgentStatus> statuses;
  SECTION("it says again and again that it works") { statuses = {AgentStatus::kWorking}; }
  SECTION("its turns are short") { statuses = {AgentStatus::kWorking, AgentStatus::kIdle}; }
  SECTION("it asks all the time") { statuses = {AgentStatus::kWorking, AgentStatus::kWaiting}; }
  loop::Timer next(it.loop());
  size_t changes = 0;
  std::function<void()> change = [&] {
    it.watch->on_status(statuses[changes++ % statuses.size()]);
    next.start(10, change);
  };
  change();
  it.run_until_told();
  CHECK(it.told[0].in == 10);
}

TEST_CASE("of an agent that has ended nothing is waited for, and a last look finds the rest") {
  UsageScene it;
  it.write("msg_1", 10, 4);
  it.watch->on_status(AgentStatus::kWorking);
  SECTION("in the middle of its work") {}
  SECTION("right after it") { it.watch->on_status(AgentStatus::kIdle); }
  it.watch->on_status(AgentStatus::kExited);
  it.run_out();
  CHECK(it.told.empty());
  CHECK(it.looks == 0);
  it.watch->look();
  REQUIRE(it.told.size() == 1);
  it.watch->look();
  CHECK(it.told.size() == 1);
}

TEST_CASE("an agent that never works is not looked at") {
  UsageScene it;
  it.write("msg_1", 10, 4);
  it.watch->on_status(AgentStatus::kStarting);
  it.watch->on_status(AgentStatus::kIdle);
  it.watch->on_status(AgentStatus::kWaiting);
  it.run_out();
  CHECK(it.looks == 0);
}

TEST_CASE("nonsense in a session file is passed over, and what follows it is told") {
  UsageScene it;
  for (const std::string& nonsense :
       {std::string("\n\n{\n"), std::string("\0\xff\xfe\n", 4), it.line("msg_0", "-5", "\"7\""),
        it.line("msg_1", "9e300", "99999999999999999999"), it.line("msg_2", "{}", "null"),
        "\"input_tokens\"" + std::string(100'000, '[') + "\n"}) {
    it.write(nonsense);
    it.watch->look();
    CHECK(it.told.empty());
  }
  it.write("msg_3", 10, 4);
  it.watch->look();
  REQUIRE(it.told.size() == 1);
  CHECK(it.told[0].in == 10);
  CHECK(it.told[0].out == 4);
}

TEST_CASE("half a line is told when the whole of it is there, once") {
  UsageScene it;
  const std::string line = it.line("msg_1", "10", "4");
  it.write(line.substr(0, 70));
  it.watch->look();
  CHECK(it.told.empty());
  it.write(line.substr(70));
  it.watch->look();
  it.write(line);  // the same request again
  it.watch->look();
  CHECK(it.told.size() == 1);
}

TEST_CASE("what was told is never taken back, nor told again, whatever becomes of the file") {
  UsageScene it;
  it.write("msg_1", 10, 4);
  it.watch->look();
  REQUIRE(it.told.size() == 1);
  SECTION("it is emptied") { fs::resize_file(it.file_of(it.session), 0); }
  SECTION("it is removed") { fs::remove(it.file_of(it.session)); }
  SECTION("it is a folder now") {
    fs::remove(it.file_of(it.session));
    fs::create_directories(it.file_of(it.session));
  }
  SECTION("another one has taken its place, with all that was in it") {
    const std::string all = it.file_of(it.session) + ".new";
    fs::copy_file(it.file_of(it.session), all);
    fs::rename(all, it.file_of(it.session));
    it.watch->look();
    REQUIRE(it.told.size() == 1);
    it.write("msg_2", 20, 5);
    it.watch->look();
    REQUIRE(it.told.size() == 2);
    CHECK(it.told[1].in == 20);
  }
  SECTION("its numbers have become smaller") { it.write("msg_1", 1, 1); }
  const size_t before = it.told.size();
  it.watch->look();
  CHECK(it.told.size() == before);
}

TEST_CASE("who is told may look again from inside of that") {
  UsageScene it;
  it.write("msg_1", 10, 4);
  it.when_told = [&] {
    if (it.told.size() == 1) it.write("msg_2", 20, 5);
    it.watch->look();
  };
  it.watch->look();
  REQUIRE(it.told.size() == 2);
  CHECK(it.told[0].in == 10);
  CHECK(it.told[1].in == 20);
}

}  // namespace
}  // namespace orch::session
