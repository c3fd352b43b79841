// One run of orch as a step of a task: a shell stands in for orch, and prints what orch would.
#include "task_run/orch_run.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "store/run_record.h"
#include "temporary_folder.h"

using namespace orch;
using namespace orch::task_run;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSession =
    R"(echo '{"ms":0,"event":"session","v":2,"session":"orch-7","run":"R","issue":"7"}')";

// A state directory, and how the run ended.
struct OneRun {
  void start(const std::string& script, std::map<std::string, std::string> env = {}) {
    auto started = OrchRun::start(loop, {{"sh", "-c", script}, std::move(env)}, path, 60'000,
                                  [this](RunEnd run) {
                                    REQUIRE_FALSE(end);
                                    end = std::move(run);
                                    loop.stop();
                                  });
    REQUIRE(started);
    run = std::move(started).value();
  }
  RunEnd await() {
    loop::Timer patience(loop);
    patience.start(20'000, [this] { loop.stop(); });
    loop.run();
    REQUIRE(end);
    return *end;
  }
  RunEnd end_of(const std::string& script, std::map<std::string, std::string> env = {}) {
    start(script, std::move(env));
    return await();
  }

  const TemporaryFolder folder;
  const std::string& path = folder.path();
  loop::Loop loop;
  std::unique_ptr<TaskStep> run;
  std::optional<RunEnd> end;
};

// A line for a shell that tells a line of the agent's transcript.
std::string says(const std::string& text, const std::string& speaker = "agent") {
  return R"(; echo '{"ms":1,"event":"output","speaker":")" + speaker + R"(","text":")" + text +
         R"("}')";
}

}  // namespace

TEST_CASE("a run's words are the agent's and its tools', not the echo of what it was told") {
  OneRun one;
  const RunEnd end = one.end_of(std::string(kSession) + says("do it", "user") + says("I did.") +
                                says("$ make", "tool") + "; echo 'no record'; printf 'torn'");
  CHECK(end.run == "R");
  CHECK(end.code == 0);
  CHECK(end.words == "I did.\n$ make\n");
  CHECK(end.complaint.empty());
  CHECK_FALSE(end.result);
}

TEST_CASE("of many words the last are kept, as whole lines") {
  OneRun one;
  const RunEnd end = one.end_of(
      R"(i=0; while [ $i -lt 2000 ]; do )"
      R"(echo "{\"ms\":1,\"event\":\"output\",\"speaker\":\"agent\",\"text\":\"line $i )"
      R"(is one of two thousand lines, which are more than are kept of them\"}"; i=$((i+1)); done)");
  CHECK(end.words.size() >= OrchRun::kKeptWords / 2);
  CHECK(end.words.size() < 2 * OrchRun::kKeptWords);
  CHECK(end.words.starts_with("line "));
  CHECK(end.words.find("line 1999 is") != std::string::npos);
}

TEST_CASE("a record that has no end does not fill the memory, and the next one is heard") {
  OneRun one;
  const RunEnd end = one.end_of("head -c 5000000 /dev/zero | tr '\\0' x; echo" + says("after"));
  CHECK(end.words == "[a record of more than 4 MB]\nafter\n");
}

TEST_CASE("why a run failed is the last line on its standard error, without control characters") {
  OneRun one;
  const RunEnd end =
      one.end_of("echo first >&2; printf 'orch: no \\033[2Jagent\\n\\n' >&2; exit 2");
  CHECK(end.code == 2);
  CHECK(end.complaint.starts_with("no "));
  CHECK(end.complaint.ends_with("[2Jagent"));
  CHECK(end.complaint.find('\033') == std::string::npos);
}

TEST_CASE("a run that is stopped ends by SIGTERM first, and its code says so") {
  OneRun one;
  one.start("trap 'echo stopped >&2; exit 143' TERM; echo; sleep 60 & wait");
  loop::Timer soon(one.loop);
  soon.start(300, [&] { one.run->stop(); });
  const RunEnd end = one.await();
  CHECK(end.code == 143);
  CHECK(end.complaint == "stopped");
  CHECK(end.ms >= 300);
}

TEST_CASE("a run that died of a signal has the code that a shell tells") {
  OneRun one;
  CHECK(one.end_of("kill -KILL $$").code == 137);
}

TEST_CASE("the variables of a worker are for the agent alone") {
  ::setenv("ORCH_RUN_TEST_KEY", "orch's own", 1);
  OneRun one;
  const RunEnd end = one.end_of(
      R"(echo "own ${ORCH_RUN_TEST_KEY-none}, agent's ${ORCH_FOR_AGENT_ORCH_RUN_TEST_KEY}" >&2)",
      {{"ORCH_RUN_TEST_KEY", "secret"}});
  ::unsetenv("ORCH_RUN_TEST_KEY");
  CHECK(end.complaint == "own none, agent's secret");
}

TEST_CASE("how a run ended is read from its folder") {
  OneRun one;
  fs::create_directories(one.path + "/runs/R");
  store::RunResult result;
  result.run = "R";
  result.issue = "7";
  result.reason = event::ExitReason::kGateFailed;
  result.code = 20;
  std::ofstream(one.path + "/runs/R/result.json") << to_json(result);
  const RunEnd end = one.end_of(std::string(kSession) + "; exit 20");
  CHECK(end.code == 20);
  REQUIRE(end.result);
  CHECK(end.result->reason == event::ExitReason::kGateFailed);
}

TEST_CASE("a program that is not there is an error, and no end is told") {
  OneRun one;
  const auto started = OrchRun::start(one.loop, {{"/no/such/orch"}, {}}, one.path, 60'000,
                                      [](RunEnd) { FAIL("no run was begun"); });
  REQUIRE_FALSE(started);
  CHECK(started.error().text.find("/no/such/orch") != std::string::npos);
}
