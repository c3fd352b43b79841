// Disks that are slow or fail, and commands that are slow.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// Launches orch so that each fsync takes long, or fails (tests/soak/slow_fsync.cc).
Launch on_slow_disk(Launch launch, const std::string& setting) {
  launch.env.push_back("LD_PRELOAD=" ORCH_SLOW_FSYNC);
  launch.env.push_back("ASAN_OPTIONS=verify_asan_link_order=0");
  launch.env.push_back(setting);
  return launch;
}

std::string await_content(const std::string& path, std::string_view end) {
  const Clock::time_point until = Clock::now() + kPatience;
  while (!content_of(path).ends_with(end) && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return content_of(path);
}

int64_t ms_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
}

}  // namespace

TEST_CASE("a disk that takes seconds holds up no timeout") {
  const Workspace workspace;
  Launch launch = workspace.shell("sleep 1000", {"--timeout", "1s"});
  const Outcome outcome = Program(on_slow_disk(std::move(launch), "ORCH_FSYNC_MS=4000")).finish();
  CHECK(outcome.code == 124);
  CHECK(workspace.run_of().result.at("ms") < 4'000);
}

TEST_CASE("a disk that takes seconds holds up no signal, and the run's end waits for it") {
  const Workspace workspace;
  Launch launch = workspace.shell("trap 'echo asked; exit 0' TERM; echo ready; sleep 1000 & wait");
  Program program(on_slow_disk(std::move(launch), "ORCH_FSYNC_MS=4000"));
  program.wait_for_output("ready");
  program.signal(SIGTERM);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 143);
  const RunFolder run = workspace.run_of();
  CHECK(run.result.at("ms") < 4'000);
  CHECK(run.record.at("status") == "cancelled");
}

TEST_CASE("a run that fills its disk leaves its verdict on it, and no room that it kept") {
  const Workspace workspace;
  Launch launch = workspace.shell("seq 1 1000000");
  if (!may_mount(launch)) return;
  // The shell keeps the file system mounted until its files are copied to where the test can read
  // them.
  const std::string script =
      "mkdir -p $0 && mount -t tmpfs -o size=600k none $0 && \"$@\" >/dev/null; code=$?; "
      "df --output=avail $0 | tail -n 1; cp -r $0 $0-seen; umount $0; mv $0-seen/* $0; exit $code";
  Words words{"/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, workspace.state()};
  launch.argv.insert(launch.argv.begin(), words.begin(), words.end());
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 125);
  const RunFolder run = workspace.run_of();
  CHECK(run.result.at("reason") == "internal");
  CHECK(run.record.at("status") == "failed");
  for (const char* name : {"/result.json.room", "/run.json.room"}) {
    CHECK_FALSE(std::filesystem::exists(run.path + name));
  }
}

TEST_CASE("a disk that does not take a run's files ends the run with 125") {
  const Workspace workspace;
  Launch launch = workspace.shell("sleep 1000");
  const Outcome outcome = Program(on_slow_disk(std::move(launch), "ORCH_FSYNC_FAILS=1")).finish();
  CHECK(outcome.code == 125);
  CHECK(outcome.err.find("run.json") != std::string::npos);
  CHECK(outcome.err.find("Input/output error") != std::string::npos);
}

TEST_CASE("a run does not wait for its --notify command, which is told all the same") {
  const Workspace workspace;
  const std::string told = workspace.write("told", "");
  const Clock::time_point begin = Clock::now();
  const Outcome outcome =
      Program(workspace.shell("true", {"--notify", "sleep 10; cat > " + told})).finish();
  CHECK(outcome.code == 0);
  CHECK(ms_since(begin) < 10'000);
  CHECK(content_of(told).empty());
  const std::vector<Json> records = json_lines(await_content(told, "\n"));
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("event") == "exit");
}

TEST_CASE("more events than commands run at once are all told after the run's end") {
  const Workspace workspace;
  const std::string told = workspace.write("told", "");
  Launch launch = workspace.orch({"run", "1", "2", "3", "4", "5", "6", "7", "8", "--output",
                                  "quiet", "--notify", "sleep 2; cat >> " + told, "--", "true"});
  CHECK(Program(launch).finish().code == 0);
  const Clock::time_point until = Clock::now() + kPatience;
  while (json_lines(content_of(told)).size() < 8 && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(json_lines(content_of(told)).size() == 8);
}

TEST_CASE("a host may open more files than it was started with, its agents may not") {
  const Workspace workspace;
  Launch launch = workspace.shell("echo mine $(ulimit -Sn); read word");
  const Words limited{"/bin/sh", "-c", "ulimit -Sn 200; exec \"$@\"", "-"};
  launch.argv.insert(launch.argv.begin(), limited.begin(), limited.end());
  Program program(launch);
  program.wait_for_output("mine 200\n");
  const std::string limits = content_of("/proc/" + std::to_string(program.pid()) + "/limits");
  const size_t line = limits.find("Max open files");
  REQUIRE(line != std::string::npos);
  CHECK(std::stoi(limits.substr(line + std::strlen("Max open files"))) > 200);
  program.signal(SIGTERM);
  program.finish();
}

TEST_CASE("without descriptors nothing is started, and one line says why") {
  const Workspace workspace;
  Launch launch = workspace.shell("true");
  launch.env.push_back("ASAN_OPTIONS=detect_leaks=0");  // LeakSanitizer opens files itself
  const Words limited{"/bin/sh", "-c", "ulimit -n 8; exec \"$@\"", "-"};
  launch.argv.insert(launch.argv.begin(), limited.begin(), limited.end());
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 125);
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK(outcome.err.find("Too many open files") != std::string::npos);
}
