// How a run of a plain program ends: all places give the same reason and code.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

Launch command(const Workspace& workspace, Words words) {
  words.insert(words.begin(), {"run", "7", "--"});
  return workspace.orch(std::move(words));
}

mode_t mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

}  // namespace

TEST_CASE("a program that exits with 0 is an exit, any other code a failure of 1") {
  const Workspace good, bad, three;
  const RunFolder done = check_ending(good, Program(command(good, {"true"})).finish(), "exit", 0);
  CHECK(done.result.at("agent_exit_code") == 0);
  check_ending(bad, Program(command(bad, {"false"})).finish(), "agent_failed", 1);
  const RunFolder failed = check_ending(
      three, Program(command(three, {"sh", "-c", "exit 3"})).finish(), "agent_failed", 1);
  CHECK(failed.result.at("agent_exit_code") == 3);
  CHECK(failed.result.at("agent_signal").is_null());
  CHECK(failed.result.at("detail") == "the program exited with 3");
}

TEST_CASE("a program that dies of a signal ends the run with 128 and its number") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.shell("kill -KILL $$")).finish();
  const RunFolder run = check_ending(workspace, outcome, "agent_signal", 137);
  CHECK(run.result.at("agent_signal") == 9);
  CHECK(run.result.at("agent_exit_code").is_null());
  CHECK(run.result.at("detail") == "the program died of signal 9");
}

TEST_CASE("why an agent could not start is told by its own last line") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("plain", {"--agent-flag=--bogus", "-p", "hi"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "agent_failed", 1);
  CHECK(run.result.at("detail") ==
        "the agent exited with 2: demo-agent: unknown argument '--bogus'");
  CHECK(last_line(outcome.err).ends_with(": demo-agent: unknown argument '--bogus'"));
}

TEST_CASE("the last line of a program that failed is whole, without rules, secrets and controls") {
  const auto detail_of = [](const std::string& script, Words words) {
    const Workspace workspace;
    const Outcome outcome = Program(workspace.shell(script, std::move(words))).finish();
    CHECK(outcome.code == 1);
    return workspace.run_of().result.at("detail").get<std::string>();
  };
  CHECK(detail_of("echo first; echo the second line goes on; echo ━━━━━━━━━━━━; exit 3",
                  {"--size", "20x5"}) == "the program exited with 3: the second line goes on");
  const Words secret{"--env", "MY_TOKEN=correct-horse-battery"};
  CHECK(detail_of("echo no $MY_TOKEN here; exit 3", secret) ==
        "the program exited with 3: no *** here");
  // Wherever the line is cut, no part of the secret is left.
  const std::string cut = detail_of(
      "i=0; while [ $i -lt 290 ]; do printf x; i=$((i+1)); done; echo $MY_TOKEN; exit 3", secret);
  CHECK(cut.find("xxx") != std::string::npos);
  CHECK(cut.find("corr") == std::string::npos);
  // With --no-record, result.json has no words either.
  const Workspace workspace;
  const Outcome outcome = Program(workspace.shell("echo words; exit 3", {"--no-record"})).finish();
  CHECK(last_line(outcome.err) == "orch: orch-7: agent_failed (exit 1): the program exited with 3");
}

TEST_CASE("a program that cannot be started is one line on stderr, and a run that says why") {
  const Workspace workspace;
  const std::string plain = workspace.write("plain", "no program\n");
  const std::vector<std::pair<std::string, int>> cases{
      {"/nonexistent", 127}, {"no-such-program-anywhere", 127}, {plain, 126}, {"/", 126}};
  for (const auto& [program, code] : cases) {
    INFO(program);
    const Outcome outcome = Program(command(workspace, {program})).finish();
    CHECK(outcome.code == code);
    CHECK(outcome.out.empty());
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(outcome.err.find(program) != std::string::npos);
    const RunFolder run = workspace.run_of();
    CHECK(run.record.at("status") == "failed");
    CHECK(run.record.at("verdict").at("code") == code);
    CHECK(run.record.at("verdict").at("detail").get<std::string>().find(program) !=
          std::string::npos);
    CHECK(run.result.at("reason") == (code == 127 ? "not_found" : "not_executable"));
    CHECK(run.events.back().at("event") == "exit");
    std::filesystem::remove_all(run.path);
  }
}

TEST_CASE("what follows the dashes is the program's own, options and dashes included") {
  const Workspace workspace;
  const Outcome outcome =
      Program(command(workspace, {"printf", "%s|", "--output", "json", "--", "two words"}))
          .finish();
  check_ending(workspace, outcome, "exit", 0);
  CHECK(outcome.out == "--output|json|--|two words|\n");
}

TEST_CASE("the program runs in its folder, with the run's mark and a terminal of its own") {
  const Workspace workspace;
  Launch launch = workspace.shell("pwd; echo $ORCH_RUN; tty -s && echo $TERM; echo \"[$CI]\"");
  launch.env.emplace_back("CI=true");
  launch.env.emplace_back("TERM=dumb");
  const Outcome outcome = Program(launch).finish();
  const RunFolder run = check_ending(workspace, outcome, "exit", 0);
  CHECK(lines_of(outcome.out) == Words{std::filesystem::canonical(workspace.project()).string(),
                                       run.id(), "xterm-256color", "[]"});
}

TEST_CASE("a run leaves exactly its files, for the owner's eyes only") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("plain", {"--until", "idle", "-p", "hi"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "idle", 0);
  CHECK(mode_of(workspace.state()) == 0700);
  CHECK(mode_of(run.path) == 0700);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(run.path)) {
    names.push_back(entry.path().filename().string());
    CHECK(mode_of(entry.path().string()) == 0600);
  }
  std::sort(names.begin(), names.end());
  CHECK(names == Words{"events.jsonl", "orch.log", "output.cast", "prompt.md", "result.json",
                       "run.json", "transcript.txt"});
  CHECK(content_of(run.path + "/prompt.md") == "hi");
  CHECK(run.transcript.starts_with("❯ hi\n"));
  CHECK(run.words() == outcome.out);
  CHECK(run.result.at("recording") == run.recording());
}

TEST_CASE("orch's own failure in the middle of a run is 125, whatever the agent did") {
  const Workspace workspace;
  // It draws and says nothing, so that of the run's files only the recording grows.
  Launch launch = workspace.orch(
      {"run", "7", "--", "sh", "-c", "while :; do printf '\\033[2J\\033[H\\033[2J\\033[H'; done"});
  // Files may not grow beyond 16 KB: that is like a full disk, without the need to fill one.
  launch.argv.insert(launch.argv.begin(),
                     {"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 32; exec \"$@\"", "sh"});
  const Outcome outcome = Program(launch).finish();
  const RunFolder run = check_ending(workspace, outcome, "internal", 125);
  CHECK(last_line(outcome.err).find("File too large") != std::string::npos);
}

TEST_CASE("of several issues the gravest code is the command's") {
  const Workspace workspace;
  const std::string script =
      "case $ORCH_RUN in *-fine-*) exit 0;; *-bad-*) exit 3;; *) kill -KILL $$;; esac";
  const auto code_of = [&](Words issues) {
    issues.insert(issues.begin(), "run");
    issues.insert(issues.end(), {"--", "sh", "-c", script});
    return Program(workspace.orch(issues)).finish().code;
  };
  CHECK(code_of({"fine", "bad", "dead"}) == 1);
  CHECK(code_of({"dead", "fine"}) == 137);
  CHECK(code_of({"fine", "good-fine-x"}) == 0);
}
