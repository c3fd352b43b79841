// How orch behaves for what starts it: a shell, a pager, a CI runner, a person at a terminal.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "workspace.h"

using namespace orch::e2e;

namespace {

const std::string kFull = "orch: cannot write standard output: No space left on device\n";

}  // namespace

TEST_CASE("standard streams that are closed change nothing, for any command") {
  for (const std::string closed : {">&-", "2>&-", "<&-", "<&- >&- 2>&-"}) {
    INFO(closed);
    const Workspace workspace;
    const Outcome run =
        Program(by_shell(workspace.shell("echo words"), "exec \"$@\" " + closed)).finish();
    CHECK(run.code == 0);
    CHECK(workspace.run_of().result.at("reason") == "exit");
    for (const Words& words : std::initializer_list<Words>{
             {"sessions"}, {"logs", "7"}, {"status", "7"}, {"--help"}, {"shot", "7"}, {"agents"}}) {
      INFO(words.front());
      CHECK(Program(by_shell(workspace.orch(words), "exec \"$@\" " + closed)).finish().code == 0);
    }
    for (const Words& words : std::initializer_list<Words>{{"internal", "guardian"},
                                                           {"internal", "launch"},
                                                           {"internal", "snapshot"},
                                                           {"hook"},
                                                           {"demo-agent"}}) {
      INFO(words.back());
      CHECK(Program(by_shell(workspace.orch(words), "exec \"$@\" " + closed)).finish().code < 128);
    }
  }
}

TEST_CASE("a run whose words cannot be written fails, and says why everywhere") {
  for (const std::string output : {"text", "json", "raw"}) {
    INFO(output);
    const Workspace workspace;
    const Launch launch = workspace.shell("echo words", {"--output", output});
    const RunFolder run = check_ending(
        workspace, Program(by_shell(launch, "exec \"$@\" >/dev/full")).finish(), "internal", 125);
    CHECK(run.result.at("detail") == "cannot write standard output: No space left on device");
  }
}

TEST_CASE("an agent that works on is ended when its words cannot be written") {
  const Workspace workspace;
  const Launch launch = workspace.shell("echo words; exec sleep 1000");
  const RunFolder run = check_ending(
      workspace, Program(by_shell(launch, "exec \"$@\" >/dev/full")).finish(), "internal", 125);
  CHECK(living_with_mark(run.id()).empty());
}

TEST_CASE("diagnostics that cannot be written change nothing") {
  const Workspace workspace;
  const Outcome outcome =
      Program(by_shell(workspace.shell("echo words"), "exec \"$@\" 2>/dev/full")).finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "words\n");
}

TEST_CASE("every command says when its answer cannot be written") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("echo words")).finish().code == 0);
  for (const Words& words : std::initializer_list<Words>{{"sessions"},
                                                         {"sessions", "--json"},
                                                         {"logs", "7"},
                                                         {"logs", "--raw", "7"},
                                                         {"status", "7"},
                                                         {"replay", "--agent", "command", "7"},
                                                         {"explain", "--agent", "command", "7"},
                                                         {"shot", "7"},
                                                         {"agents"},
                                                         {"doctor"},
                                                         {"--help"},
                                                         {"run", "--help"},
                                                         {"--version"}}) {
    INFO(words.front());
    const Outcome outcome =
        Program(by_shell(workspace.orch(words), "exec \"$@\" >/dev/full")).finish();
    CHECK(outcome.code == 125);
    CHECK(outcome.err == kFull);
  }
}

TEST_CASE("a command without a reader dies of SIGPIPE, silently") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("seq 1 30000")).finish().code == 0);
  const Outcome outcome =
      Program(by_shell(workspace.orch({"logs", "7"}), "\"$@\" | head -1; echo ${PIPESTATUS[0]}"))
          .finish();
  CHECK(outcome.out == "1\n141\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("following a session ends when its reader goes away, though nothing is said") {
  const Workspace workspace;
  Program host(workspace.shell("echo words; exec sleep 1000"));
  host.wait_for_output("words\n");
  const Outcome outcome =
      Program(by_shell(workspace.orch({"logs", "-f", "7"}), "\"$@\" | head -1")).finish();
  CHECK(outcome.out == "words\n");
  CHECK(outcome.err.empty());
  host.signal(SIGTERM);
  CHECK(host.finish().code == 143);
}

TEST_CASE("a background run lets go of every pipe that it was left with") {
  const Workspace workspace;
  // Descriptors 3 and 17 are the pipe, too; cat ends when no process has it open any more.
  const Launch launch = workspace.shell("exec sleep 1000", {"-d"});
  const Outcome outcome =
      Program(by_shell(launch, "\"$@\" 3>&1 17>&1 2>&1 | cat; echo ended")).finish();
  CHECK(outcome.out == "orch-7\nended\n");
  CHECK(Program(workspace.orch({"kill", "--now", "7"})).finish().code == 0);
}

TEST_CASE("a background run whose name cannot be told does not run") {
  const Workspace workspace;
  const Launch launch = workspace.shell("exec sleep 1000", {"-d"});
  const Outcome outcome = Program(by_shell(launch, "exec \"$@\" >/dev/full")).finish();
  CHECK(outcome.code == 125);
  CHECK(outcome.err == kFull);
  // The background process ends the agent after the command has returned.
  Outcome wait = Program(workspace.orch({"wait", "7", "--until", "exited"})).finish();
  CHECK(workspace.run_of().result.at("reason") == "internal");
}

TEST_CASE("a signal that was ignored at the start is not taken, and the agent has its own") {
  for (const int signum : {SIGINT, SIGHUP}) {
    INFO(signum);
    const Workspace workspace;
    const Launch launch =
        workspace.shell("trap 'echo it was taken' INT HUP; kill -INT $$; echo ready; read word < " +
                        workspace.file("gate"));
    const Gate gate(workspace.file("gate"));
    Program program(by_shell(launch, "trap '' INT HUP; exec \"$@\""));
    program.wait_for_output("it was taken\nready\n");
    program.signal(signum);
    program.signal(SIGWINCH);
    gate.let_through();
    CHECK(program.finish().code == 0);
  }
}

TEST_CASE("a file size limit is an error of the write, for commands and runs") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("seq 1 3000")).finish().code == 0);
  const std::string out = workspace.file("out");
  const Outcome logs =
      Program(by_shell(workspace.orch({"logs", "7"}), "ulimit -f 1; exec \"$@\" > " + out))
          .finish();
  CHECK(logs.code == 125);
  CHECK(logs.err == "orch: cannot write standard output: File too large\n");
  const Workspace other;
  const Outcome run =
      Program(by_shell(other.shell("seq 1 300000"), "ulimit -f 0; exec \"$@\"")).finish();
  CHECK(run.code == 125);
}

TEST_CASE("what is no record in events.jsonl is one error line, and the rest is read") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("echo words")).finish().code == 0);
  const std::string path = workspace.run_of().path + "/events.jsonl";
  const std::string good = content_of(path);
  for (const std::string& bad :
       {std::string("null"), std::string("[]"), std::string("x"), std::string(),
        std::string("{\"ms\":1e999,\"event\":\"output\",\"text\":5"), std::string(3, '\0'),
        std::string(300'000, '['), "{\"a\":" + std::string(300'000, '[')}) {
    std::ofstream(path, std::ios::binary) << good << bad << "\n";
    for (const Words& words : std::initializer_list<Words>{
             {"logs", "7"}, {"logs", "--json", "7"}, {"logs", "-f", "7"}}) {
      INFO(words[1] << " " << bad.substr(0, 20));
      const Outcome outcome = Program(workspace.orch(words)).finish();
      CHECK(outcome.code == 125);
      CHECK(outcome.err == "orch: " + path + ": 1 lines are no records\n");
      CHECK(outcome.out == (words[1] == "--json" ? good : "words\n"));
    }
  }
  std::filesystem::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const Outcome pipe = Program(workspace.orch({"logs", "7"})).finish();
  CHECK(pipe.code == 125);
  CHECK(pipe.err == "orch: cannot open " + path + ": no regular file\n");
}

TEST_CASE("a signal that was blocked at the start ends the run all the same") {
  const Workspace workspace;
  Launch launch = workspace.shell("echo words; exec sleep 1000");
  launch.argv.insert(launch.argv.begin(),
                     {"/usr/bin/env", "--block-signal=TERM", "--block-signal=INT"});
  Program program(launch);
  program.wait_for_output("words\n");
  program.signal(SIGTERM);
  check_ending(workspace, program.finish(), "terminated", 143);
}
