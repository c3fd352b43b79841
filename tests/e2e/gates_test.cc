// --verify and --require-changes: what a run does when its agent says that it is done.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

std::vector<Json> gates_of(const RunFolder& run) {
  std::vector<Json> gates;
  for (const Json& event : run.events) {
    if (event.at("event") == "gate" && event.at("phase") == "ended") gates.push_back(event);
  }
  return gates;
}

// Makes a git repository of the project, with one commit and an ignored name.
void make_project(const Workspace& workspace) {
  const std::string script =
      "git init -q . && git config user.email a@b && git config user.name a && "
      "printf '*.o\\nbuild/\\n' > .gitignore && echo one > main.c && git add . && "
      "git commit -qm first && echo .messages >> .git/info/exclude";
  shell_output(workspace, script);
}

// Adds a submodule that ignores other names.
void add_submodule(const Workspace& workspace) {
  shell_output(
      workspace,
      "git init -q ../lib; cd ../lib; git config user.email a@b; git config user.name a; "
      "echo '*.tmp' > .gitignore; echo lib > lib.c; git add .; git commit -qm lib; cd ../project; "
      "git -c protocol.file.allow=always submodule --quiet add \"$PWD/../lib\" sub; "
      "git -C sub config user.email a@b; git -C sub config user.name a; git commit -qam sub");
}

// Runs a program with this script, in a run that requires changes.
RunFolder changing(const Workspace& workspace, const std::string& script, const char* reason,
                   int code) {
  const Outcome outcome = Program(workspace.shell(script, {"--require-changes"})).finish();
  return check_ending(workspace, outcome, reason, code);
}

}  // namespace

TEST_CASE("a run whose gates pass is complete, and tells of them everywhere") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("default", {"--verify", "echo checked; pwd", "--verify", "true"}))
          .finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  const auto gates = gates_of(run);
  REQUIRE(gates.size() == 2);
  CHECK(gates[0].at("n") == 1);
  CHECK(gates[0].at("command") == "echo checked; pwd");
  CHECK(gates[0].at("code") == 0);
  CHECK(gates[0].at("output") == "checked\n" + fs::canonical(workspace.project()).string());
  CHECK(content_of(run.path + "/gates/1.log").starts_with("checked\n"));
  CHECK(content_of(run.path + "/gates/2.log").empty());
  CHECK(run.result.at("gates").size() == 2);
  CHECK(run.record.at("verdict").at("gates").at(1).at("command") == "true");
  const Outcome shown = Program(workspace.orch({"show", "7"})).finish();
  CHECK(shown.out.find("1: echo checked; pwd, passed") != std::string::npos);
}

TEST_CASE("a run of which a gate fails has failed, and says why") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("default", {"--verify", "echo broken: 3 tests; exit 9", "--verify",
                                         "touch second"}))
          .finish();
  const RunFolder run = check_ending(workspace, outcome, "gate_failed", 20);
  CHECK(outcome.err.find("orch: orch-7: | broken: 3 tests\n") != std::string::npos);
  CHECK(last_line(outcome.err).find("echo broken: 3 tests; exit 9 exited with 9") !=
        std::string::npos);
  CHECK(run.result.at("gates").at(0).at("output") == "broken: 3 tests");
  CHECK_FALSE(fs::exists(workspace.file("project/second")));
  CHECK(workspace.messages().size() == 1);
}

TEST_CASE("who waits for a run is not told that it rests while it is checked or ended") {
  const Workspace workspace;
  make_project(workspace);
  const auto [words, code] = GENERATE(
      std::pair{Words{"--verify", "sleep 1; false"}, 20}, std::pair{Words{"--require-changes"}, 21},
      std::pair{Words{"--max-turns", "1", "--complete-keyword", "NEVER"}, 124});
  Words run{"-d"};
  run.insert(run.end(), words.begin(), words.end());
  REQUIRE(Program(workspace.demo("default", run)).finish().code == 0);
  CHECK(Program(workspace.orch({"wait", "7"})).finish().code == code);
}

TEST_CASE("a message to a run whose agent has left reaches nobody, also while its gates run") {
  const Workspace workspace;
  const std::string gate = "touch ../begun; while [ ! -e ../go ]; do sleep 0.1; done";
  REQUIRE(Program(workspace.shell("exit 0", {"-d", "--verify", gate})).finish().code == 0);
  REQUIRE(comes(workspace.file("begun")));
  CHECK(Program(workspace.orch({"send", "7", "hello"})).finish().code == 4);
  workspace.write("go", "");
  CHECK(Program(workspace.orch({"wait", "7", "--until", "exited"})).finish().code == 0);
}

TEST_CASE("an agent is told of the gate that failed, and they run again") {
  const Workspace workspace;
  const std::string once = "test -e again || { touch again; echo 'main.c:1: broken'; exit 4; }";
  const Outcome outcome =
      Program(workspace.demo("default", {"--verify", "true", "--verify", once, "--fix-turns", "2"}))
          .finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  REQUIRE(workspace.messages().size() == 2);
  const std::string told = workspace.messages()[1];
  CHECK(told.find("exited with 4") != std::string::npos);
  CHECK(told.find("main.c:1: broken") != std::string::npos);
  CHECK(told.find("say LOOP_COMPLETE") != std::string::npos);
  CHECK(gates_of(run).size() == 4);
  CHECK(run.result.at("turns") == 2);
  CHECK(run.result.at("gates").at(1).at("code") == 4);
  CHECK(run.result.at("gates").at(3).at("code") == 0);
}

TEST_CASE("fix turns have an end") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("default", {"--verify", "exit 1", "--fix-turns", "1"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "gate_failed", 20);
  CHECK(workspace.messages().size() == 2);
  CHECK(gates_of(run).size() == 2);
}

TEST_CASE("a gate that hangs is killed at its time limit, with all that it started") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("default", {"--verify",
                                         "trap '' TERM; setsid sleep 1000 & echo begun; sleep 1000",
                                         "--verify-timeout", "1s"}))
          .finish();
  const RunFolder run = check_ending(workspace, outcome, "gate_failed", 20);
  REQUIRE(gates_of(run).size() == 1);
  CHECK(gates_of(run)[0].at("timed_out") == true);
  CHECK(gates_of(run)[0].at("output") == "begun");
  CHECK(living_with_mark(run.id()).empty());
}

TEST_CASE("what a gate leaves behind ends with it, and holds up nothing") {
  const Workspace workspace;
  // The daemon keeps the gate's output open, and has left its session and its parents.
  const std::string daemon =
      "(setsid sh -c 'echo $$ > daemon; exec sleep 1000' &) ; "
      "until test -s daemon; do sleep 0.05; done";
  const Outcome outcome =
      Program(workspace.demo("default", {"--verify", daemon, "--verify",
                                         "! grep -qs sleep /proc/$(cat daemon)/cmdline"}))
          .finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  CHECK(living_with_mark(run.id()).empty());
}

TEST_CASE("a gate ends with its run") {
  const Workspace workspace;
  const int signum = GENERATE(SIGINT, SIGTERM);
  Program program(workspace.demo(
      "default", {"--output", "json", "--verify", "echo $$ > gate; exec sleep 1000"}));
  program.wait_for_output("\"gate\"");
  program.signal(signum);
  const RunFolder run = check_ending(workspace, program.finish(),
                                     signum == SIGINT ? "interrupted" : "terminated", 128 + signum);
  CHECK(gates_of(run).empty());
  CHECK(living_with_mark(run.id()).empty());
}

TEST_CASE("the run's time limit counts while a gate runs") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("default", {"--timeout", "4s", "--verify", "sleep 1000"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "timeout", 124);
  CHECK(living_with_mark(run.id()).empty());
}

TEST_CASE("a flood of output costs neither memory nor the run") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("default", {"--verify", "echo first; seq 1 1000000; echo last"}))
          .finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  const std::string log = content_of(run.path + "/gates/1.log");
  CHECK(log.size() < 2'000'000);
  CHECK(log.starts_with("first\n1\n2\n"));
  CHECK(log.ends_with("\n1000000\nlast\n"));
  CHECK(log.find("bytes are left out here]") != std::string::npos);
  CHECK(gates_of(run)[0].at("output").get<std::string>().size() <= 3'000);
}

TEST_CASE("what a gate prints reaches no terminal, log or agent as anything but text") {
  const Workspace workspace;
  const Outcome outcome =
      Program(
          workspace.demo("default",
                         {"--verify",
                          R"(printf '\033]0;owned\007\033[2J\033[31mred\033[0m\a\rover\n'; exit 1)",
                          "--fix-turns", "1"}))
          .finish();
  const RunFolder run = check_ending(workspace, outcome, "gate_failed", 20);
  CHECK(run.result.at("gates").at(0).at("output") == "red\nover");
  CHECK(outcome.err.find('\x1b') == std::string::npos);
  CHECK(content_of(run.path + "/gates/1.log") == "red\nover\n");
  REQUIRE(workspace.messages().size() == 2);
  CHECK(workspace.messages()[1].find("    red\n    over\n") != std::string::npos);
}

TEST_CASE("a gate has no terminal, no input, and the agent's environment") {
  const Workspace workspace;
  Launch launch = workspace.demo(
      "default", {"--env", "FOR_AGENT=yes", "--verify", "! test -t 0; ! read line; tty", "--verify",
                  "test \"$FOR_AGENT\" = yes && test -z \"$CI\" && echo $ORCH_RUN"});
  launch.env.emplace_back("CI=1");
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  const RunFolder run = workspace.run_of();
  CHECK(gates_of(run).at(0).at("output") == "not a tty");
  CHECK(run.result.at("reason") == "gate_failed");  // tty reports it by its exit code
  CHECK(gates_of(run).size() == 1);
}

TEST_CASE("an agent that leaves on its own does not leave its gates behind") {
  const Workspace workspace;
  SECTION("which pass") {
    check_ending(workspace,
                 Program(workspace.shell("touch made", {"--verify", "test -e made"})).finish(),
                 "exit", 0);
  }
  SECTION("which fail") {
    check_ending(workspace, Program(workspace.shell("true", {"--verify", "test -e made"})).finish(),
                 "gate_failed", 20);
  }
  SECTION("but one that failed is not looked at") {
    const RunFolder run =
        check_ending(workspace, Program(workspace.shell("exit 3", {"--verify", "true"})).finish(),
                     "agent_failed", 1);
    CHECK(run.result.at("gates").empty());
  }
}

TEST_CASE("gates run inside of the run's fence") {
  const Workspace workspace;
  const Outcome doctor = Program(workspace.orch({"doctor", "--json"})).finish();
  if (Json::parse(doctor.out).at("fence").at("landlock") == 0) return;
  const std::string outside = workspace.file("home/outside");
  const Outcome outcome = Program(workspace.demo("default", {"--sandbox", "landlock", "--verify",
                                                             "touch inside && ! touch " + outside}))
                              .finish();
  check_ending(workspace, outcome, "complete", 0);
  CHECK(fs::exists(workspace.file("project/inside")));
  CHECK_FALSE(fs::exists(outside));
}

TEST_CASE("a gate may not act on sessions, as an agent may not") {
  const Workspace workspace;
  const std::string orch = workspace.orch({}).argv.front();
  const Outcome outcome =
      Program(workspace.demo("default", {"--verify", "! " + orch + " send 7 'one more turn'"}))
          .finish();
  check_ending(workspace, outcome, "complete", 0);
  CHECK(workspace.messages().size() == 1);
}

TEST_CASE("orch retry asks for the same gates again") {
  const Workspace workspace;
  CHECK(Program(workspace.demo("default", {"--verify", "exit 1"})).finish().code == 20);
  Launch again = workspace.orch({"retry", "7"});
  again.env.emplace_back("ORCH_DEMO_SCENARIO=default");
  CHECK(Program(again).finish().code == 20);
}

TEST_CASE("what --verify cannot mean is refused") {
  const Workspace workspace;
  const Words words =
      GENERATE(Words{"--verify", " "}, Words{"--fix-turns", "1"},
               Words{"--verify", "true", "--fix-turns", "-1"}, Words{"--verify-timeout", "1m"},
               Words{"--verify", "true", "--verify-timeout", "soon"},
               Words{"--require-changes", "--no-snapshot"});
  const Outcome outcome = Program(workspace.demo("default", words)).finish();
  CHECK(outcome.code == 2);
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK_FALSE(workspace.has_state());
}

TEST_CASE("--require-changes: an agent that did nothing") {
  const Workspace workspace;
  make_project(workspace);
  SECTION("a program") {
    const RunFolder run = changing(workspace, "true", "no_changes", 21);
    CHECK(run.result.at("changes").at("files") == 0);
  }
  SECTION("an agent with a prompt") {
    const Outcome outcome = Program(workspace.demo("default", {"--require-changes"})).finish();
    check_ending(workspace, outcome, "no_changes", 21);
  }
  SECTION("but touch a file") { changing(workspace, "touch main.c", "no_changes", 21); }
  SECTION("but write the same again") {
    changing(workspace, "echo one > new; mv new main.c", "no_changes", 21);
  }
  SECTION("but make what is ignored") {
    changing(workspace, "mkdir build deep; touch x.o build/x deep/y.o", "no_changes", 21);
  }
  SECTION("but write git's configuration") {
    changing(workspace,
             "git config core.excludesFile /dev/null; git config status.showUntrackedFiles all; "
             "git config core.fsmonitor 'touch owned'; echo > .git/info/exclude; touch x.o "
             ".messages",
             "no_changes", 21);
    CHECK_FALSE(fs::exists(workspace.file("project/owned")));
  }
  SECTION("but remove git's folder, with its rules") {
    changing(workspace, "rm -rf .git; touch x.o", "no_changes", 21);
  }
  SECTION("while its gates build something") {
    const Outcome outcome =
        Program(workspace.shell("true", {"--require-changes", "--verify", "touch built"})).finish();
    check_ending(workspace, outcome, "no_changes", 21);
  }
}

TEST_CASE("--require-changes: an agent that changed something") {
  const Workspace workspace;
  make_project(workspace);
  SECTION("and committed it") {
    const RunFolder run =
        changing(workspace, "echo two > main.c; git commit -qam second", "exit", 0);
    CHECK(run.result.at("changes").at("head_moved") == true);
    CHECK(run.record.at("verdict").at("changes").at("paths") == Json::array({"main.c"}));
  }
  SECTION("an empty commit") {
    changing(workspace, "git commit -q --allow-empty -m second", "exit", 0);
  }
  SECTION("a file that git knows") { changing(workspace, "echo two > main.c", "exit", 0); }
  SECTION("of the same size, with its old time") {
    changing(workspace, "touch -r main.c time; echo two > main.c; touch -r time main.c; rm time",
             "exit", 0);
  }
  SECTION("one that git does not know") { changing(workspace, "touch new.c", "exit", 0); }
  SECTION("one is gone") { changing(workspace, "rm main.c", "exit", 0); }
  SECTION("one can be executed") { changing(workspace, "chmod +x main.c", "exit", 0); }
  SECTION("and hid it from git") {
    changing(workspace, "echo '*' > .git/info/exclude; git rm -q --cached main.c; echo 2 > main.c",
             "exit", 0);
  }
}

TEST_CASE("--require-changes: a submodule's own rules say what counts in it, and its commits do") {
  const Workspace workspace;
  make_project(workspace);
  add_submodule(workspace);
  SECTION("nothing") { changing(workspace, "touch x.o sub/x.tmp", "no_changes", 21); }
  SECTION("a file that the repository around it ignores") {
    const RunFolder run = changing(workspace, "touch sub/x.o x.o", "exit", 0);
    CHECK(run.result.at("changes").at("paths") == Json::array({"sub/x.o"}));
  }
  SECTION("a commit without a file") {
    const RunFolder run =
        changing(workspace, "git -C sub commit -q --allow-empty -m second", "exit", 0);
    CHECK(run.result.at("changes").at("paths") == Json::array({"sub"}));
    CHECK(run.result.at("changes").at("head_moved") == false);
  }
  SECTION("its own commit, from packed references") {
    shell_output(workspace, "git -C sub pack-refs --all");
    changing(workspace, "true", "no_changes", 21);
  }
}

TEST_CASE("--require-changes: what orch itself prints into a file is no change") {
  const Workspace workspace;
  make_project(workspace);
  const auto into_files = [&workspace](const std::string& script) {
    Launch launch = workspace.shell(script, {"--require-changes"});
    const Words shell{"/bin/sh", "-c", "exec \"$@\" > out.txt 2> err.txt", "sh"};
    launch.argv.insert(launch.argv.begin(), shell.begin(), shell.end());
    return Program(launch).finish().code;
  };
  SECTION("alone") { CHECK(into_files("echo words") == 21); }
  SECTION("beside the agent's work") {
    CHECK(into_files("echo words; echo > new.c") == 0);
    CHECK(workspace.run_of().result.at("changes").at("paths") == Json::array({"new.c"}));
  }
  CHECK(content_of(workspace.file("project/out.txt")) == "words\n");
}

TEST_CASE("--require-changes outside of git counts every file") {
  const Workspace workspace;
  SECTION("none") {
    const RunFolder run = changing(workspace, "true", "no_changes", 21);
    CHECK(run.record.at("git_before").is_null());
  }
  SECTION("one") { changing(workspace, "touch x.o", "exit", 0); }
}

TEST_CASE("the start and the failure of a gate, and each fix turn, are lines of text output") {
  const Workspace workspace;
  const std::string once = "test -e " + workspace.file("tried") + " || { touch " +
                           workspace.file("tried") + "; exit 3; }";
  const Words words{"--verify", once, "--fix-turns", "2"};
  const Outcome outcome = Program(workspace.demo("default", words)).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "orch: orch-7: gate 1: test -e "));
  CHECK(holds(outcome.err, "orch: orch-7: gate 1 failed: exit code 3\n"));
  CHECK(holds(outcome.err, "orch: orch-7: the agent is asked to fix that: fix turn 1 of 2\n"));
  CHECK(holds(outcome.err, "orch: orch-7: gate 2: test -e "));
  CHECK_FALSE(holds(outcome.err, "gate 2 failed"));
  CHECK_FALSE(holds(outcome.out, "gate 1"));
}

TEST_CASE("of the runs with one --gate-lock only one runs its gates at a time") {
  const Workspace workspace;
  const Words words{"--verify",    "echo begin >> order; sleep 0.4; echo end >> order",
                    "--gate-lock", "port",
                    "--sandbox",   "none"};
  Program one(workspace.shell("true", words, "1")), other(workspace.shell("true", words, "2"));
  const Outcome first = one.finish(), second = other.finish();
  INFO(first.err << second.err);
  CHECK(first.code == 0);
  CHECK(second.code == 0);
  CHECK(content_of(workspace.project() + "/order") == "begin\nend\nbegin\nend\n");
  const Outcome refused = Program(workspace.shell("true", {"--gate-lock", "port"}, "3")).finish();
  CHECK(refused.code == 2);
  CHECK(holds(refused.err, "--gate-lock goes with --verify COMMAND"));
}
