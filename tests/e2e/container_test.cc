// Agents in containers, with a fake docker (tests/sandbox/fake_docker): programs "in a container"
// run on this machine, but signals to the client do not reach them. script/boxed runs the same with
// the real docker.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// A workspace with the fake docker on its PATH.
class Boxed {
 public:
  Boxed() {
    fs::create_directory(workspace.file("bin"));
    fs::create_directory(workspace.file("daemon"));
    fs::create_symlink(FAKE_DOCKER, workspace.file("bin/docker"));
  }

  Launch orch(Words words) const {
    Launch launch = workspace.orch(std::move(words));
    std::erase_if(launch.env, [](const std::string& entry) { return entry.starts_with("PATH="); });
    launch.env.push_back("PATH=" + workspace.file("bin") + ":/usr/local/bin:/usr/bin:/bin");
    launch.env.push_back("FAKE_DOCKER=" + workspace.file("daemon"));
    launch.env.push_back("FAKE_PATH=" + fs::path(ORCH_PROGRAM).parent_path().string());
    return launch;
  }
  Launch run(Words words, Words command = {}, const std::string& issue = "7") const {
    Words all{"run", issue, "--sandbox", "docker"};
    all.insert(all.end(), words.begin(), words.end());
    if (!command.empty()) all.emplace_back("--");
    all.insert(all.end(), command.begin(), command.end());
    return orch(std::move(all));
  }
  Launch shell(const std::string& script, Words words = {}) const {
    words.insert(words.begin(), {"--image", "debian:12"});
    return run(std::move(words), {"sh", "-c", script});
  }

  std::vector<std::string> containers() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(workspace.file("daemon"))) {
      if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    }
    return names;
  }
  bool none_stands() const {
    const Clock::time_point until = Clock::now() + kPatience;
    while (!containers().empty() && Clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return containers().empty();
  }
  // The arguments of every call of docker.
  std::string words() const { return content_of(workspace.file("daemon/words")); }
  Outcome docker(Words words) const {
    Launch launch = orch({});
    launch.argv = {workspace.file("bin/docker")};
    launch.argv.insert(launch.argv.end(), words.begin(), words.end());
    return Program(launch).finish();
  }
  bool lives(const std::string& pid_file) const {
    const std::string text = content_of(workspace.project() + "/" + pid_file);
    return !ends(static_cast<pid_t>(std::stol(text)));
  }

  Workspace workspace;
};

}  // namespace

TEST_CASE("container: an agent on a terminal in it, with messages, turns and an end") {
  const Boxed boxed;
  const Outcome outcome =
      Program(boxed.run({"--image", "debian:12", "--agent", "demo", "-p", "Show it.", "--env",
                         "ORCH_DEMO_SPEED=0.2", "--env",
                         "ORCH_DEMO_LOG=" + boxed.workspace.file("project/.messages")}))
          .finish();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(boxed.workspace.messages().size() == 1);
  CHECK(boxed.none_stands());
  const RunFolder run = boxed.workspace.run_of();
  CHECK(run.record.at("argv").front() == "orch");
  CHECK(run.record.at("request").at("image") == "debian:12");
  CHECK(run.result.at("sandbox").at("layers") == Json::array({"docker"}));
  CHECK(run.result.at("sandbox").at("network") == "bridge");
}

TEST_CASE("container: a call whose hook does not reach the session is refused, and does not run") {
  const Boxed boxed;
  boxed.workspace.write("project/agent.sh", R"(cat > message
CHECK=${CHECK#\"}; CHECK=${CHECK%\"}
printf '{"event":"call","id":"1","tool":"shell","input":{"command":"touch made"}}' |
  sh -c "$CHECK" > answer 2>&1 && touch made
echo '{"type":"end"}'
)");
  boxed.workspace.write("home/.config/orch/adapters/own.json",
                        R"({"manifest": 1, "name": "own", "title": "Own", "program": ["sh"],
 "headless": {"arguments": ["agent.sh", "{options}", "{resume}"], "lines": [{"is": "end", "when": {"/type": "end"}}],
              "tools": [{"name": "^shell$", "is": "command", "at": ["/command"]}]},
 "calls": {"env": {"CHECK": "{check}"}, "event": "/event", "id": "/id", "tool": "/tool", "input": "/input",
           "events": [{"name": "start", "is": "start"}, {"name": "call", "is": "call", "deny": "{reason}"}]}})");
  const std::string policy = boxed.workspace.write("policy.json", R"({"default": "all"})");
  const Outcome outcome =
      Program(boxed.run({"--image", "debian:12", "--agent", "own", "--mode", "headless", "-p", "x",
                         "--until", "idle", "--approve", policy}))
          .finish();
  INFO(outcome.err);
  CHECK_FALSE(fs::exists(boxed.workspace.project() + "/made"));
  const std::string answer = content_of(boxed.workspace.project() + "/answer");
  CHECK(answer.find("orch has not read this call") != std::string::npos);
  CHECK(boxed.words().find("dst=/run/orch/program/orch") != std::string::npos);
  CHECK(boxed.words().find("dst=/run/orch/calls") != std::string::npos);
}

TEST_CASE("container: of an image for another processor calls are not read, and a line says so") {
  const Boxed boxed;
  const std::string policy = boxed.workspace.write("policy.json", R"({"default": "all"})");
  const Words words{"--image", "foreign:1", "--agent", "codex", "-p", "x", "--approve", policy};
  Words headless = words;
  headless.insert(headless.end(), {"--mode", "headless"});
  const Outcome refused = Program(boxed.run(headless)).finish();
  CHECK(refused.code == 2);
  CHECK(refused.err.find("another kind of processor") != std::string::npos);
  const Outcome read = Program(boxed.run(words)).finish();
  CHECK(read.err.find("reads the agent's dialogs alone") != std::string::npos);
  CHECK(boxed.words().find("dst=/run/orch/calls") == std::string::npos);
}

TEST_CASE("container: a code, a size, a folder and variables are those of the agent") {
  const Boxed boxed;
  fs::create_directory(boxed.workspace.project() + "/sub");
  Launch launch = boxed.shell("stty size; echo \"$A/$TERM/$PWD/${HIDDEN-none}\"; exit 7",
                              {"--env", "A=a b", "--size", "100x30", "--cwd", "sub"});
  launch.env.emplace_back("HIDDEN=from here");
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 1);
  CHECK(outcome.out.find("30 100\n") != std::string::npos);
  CHECK(outcome.out.find("a b/xterm-256color/" + boxed.workspace.project() + "/sub/none") !=
        std::string::npos);
  CHECK(boxed.workspace.run_of().result.at("agent_exit_code") == 7);
}

TEST_CASE("container: an agent without a terminal, a turn in each process") {
  const Boxed boxed;
  boxed.workspace.write("home/.config/orch/adapters/own.json",
                        R"({"manifest": 1, "name": "own", "title": "Own", "program": ["sh"],
    "headless": {"arguments": ["agent.sh", "{options}", "{resume}"], "resume": ["--resume", "{}"],
    "lines": [{"is": "session", "when": {"/type": "session"}, "id": "/id"},
              {"is": "words", "when": {"/type": "say"}, "text": "/text"},
              {"is": "end", "when": {"/type": "end"}}]}})");
  boxed.workspace.write("project/agent.sh", R"(cat >> heard; echo "$@" >> arguments
echo '{"type":"session","id":"conversation-1"}'
test -e once && echo '{"type":"say","text":"LOOP_COMPLETE"}' ||
  { touch once; echo '{"type":"say","text":"one more"}'; }
echo '{"type":"end"}'
)");
  const Outcome outcome = Program(boxed.run({"--image", "debian:12", "--agent", "own", "--mode",
                                             "headless", "-p", "it's \"so\""}))
                              .finish();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::string project = boxed.workspace.project();
  CHECK(content_of(project + "/heard").starts_with("it's \"so\""));
  CHECK(content_of(project + "/arguments") == "\n--resume conversation-1\n");
  CHECK(boxed.none_stands());

  const Outcome again = Program(boxed.orch({"continue", "7", "and now?"})).finish();
  CHECK(again.code == 2);
  CHECK(again.err.find("was in a container of its own") != std::string::npos);
  const Outcome retried = Program(boxed.orch({"retry", "7"})).finish();
  CHECK(retried.code == 0);
  CHECK(boxed.words().find("debian:12") != boxed.words().rfind("debian:12"));
}

TEST_CASE("container: a secret reaches the agent and no command line") {
  const Boxed boxed;
  Launch launch = boxed.shell("echo \"it has ${#KEY} letters\"", {"--env", "KEY"});
  launch.env.emplace_back("KEY=hush-hush");
  CHECK(Program(launch).finish().out.find("it has 9 letters") != std::string::npos);
  CHECK(boxed.words().find("hush") == std::string::npos);
}

TEST_CASE("container: SIGTERM, and one that takes no notice of it, end with nothing left") {
  const Boxed boxed;
  Program program(boxed.shell(
      "trap '' TERM HUP; echo $$ > pid; (setsid sh -c 'echo $$ > away; exec sleep 1000' &);"
      " echo begun; while :; do sleep 1; done"));
  program.wait_for_output("begun");
  program.signal(SIGTERM);
  CHECK(program.finish().code == 143);
  CHECK_FALSE(boxed.lives("pid"));
  CHECK_FALSE(boxed.lives("away"));
  CHECK(boxed.none_stands());
}

TEST_CASE("container: a killed orch leaves none") {
  const Boxed boxed;
  Program program(
      boxed.shell("echo $$ > pid; trap '' TERM HUP; echo begun; sleep 1000; sleep 1000"));
  program.wait_for_output("begun");
  program.signal(SIGKILL);
  program.finish();
  CHECK(boxed.none_stands());
  CHECK_FALSE(boxed.lives("pid"));
}

TEST_CASE("container: one that is removed, or whose daemon dies, fails the run and says so") {
  const Boxed boxed;
  Program program(boxed.shell("echo begun; sleep 1000"));
  program.wait_for_output("begun");
  std::string why;
  SECTION("removed") {
    REQUIRE(boxed.docker({"rm", "--force", boxed.containers().at(0)}).code == 0);
    why = "somebody removed or killed it";
  }
  SECTION("its daemon") {
    boxed.workspace.write("daemon/down", "");
    why = "docker's daemon: Cannot connect";
  }
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 125);
  CHECK(outcome.err.find(why) != std::string::npos);
}

TEST_CASE("container: a silent agent is judged by what it does in it, not by its client") {
  const Boxed works_in, sleeps_in;
  const std::string works =
      "until=$(($(date +%s) + 5))\n"
      "work() { while [ $(date +%s) -lt $until ]; do :; done; }\n"
      "work & work & work & work & wait";
  CHECK(Program(works_in.shell(works, {"--idle-timeout", "1s"})).finish().code == 0);
  CHECK(Program(sleeps_in.shell("sleep 1000 & wait", {"--idle-timeout", "1s"})).finish().code ==
        124);
  const RunFolder run = sleeps_in.workspace.run_of();
  const std::string evidence = run.result.at("evidence");
  CHECK(evidence.find("1 child processes (sleep), 0 ms of CPU used in ") == 0);
  // Sockets in the container are not looked at.
  CHECK(evidence.find("sockets") == std::string::npos);
  CHECK(sleeps_in.none_stands());
}

TEST_CASE("container: gates run in it, and what one leaves is ended") {
  const Boxed boxed;
  const Outcome outcome =
      Program(boxed.shell("true", {"--verify",
                                   "(setsid sh -c 'echo $$ > away; exec sleep 1000' &); sleep 0.5",
                                   "--verify", "echo $FAKE_BOX >&2; exit 3"}))
          .finish();
  CHECK(outcome.code == 20);
  CHECK(outcome.err.find("orch-7-") != std::string::npos);
  CHECK_FALSE(boxed.lives("away"));
}

namespace {

// Holds a container, as a task does.
Launch task_holder(const Boxed& boxed) {
  Launch task = boxed.orch({});
  task.argv = {boxed.workspace.file("bin/docker"),
               "run",
               "-i",
               "--name",
               "orch-task-1",
               "--label",
               "orch.work=" + boxed.workspace.project(),
               "--network",
               "none",
               "--user",
               "0:0",
               "--entrypoint",
               "sh",
               "debian:12",
               "-c",
               "",
               "orch-leash",
               "sh",
               ""};
  task.terminal = TerminalSize{80, 24};  // so that its input does not end
  return task;
}

}  // namespace

TEST_CASE("container: a run joins one that a task holds, ends its own there, and leaves it") {
  const Boxed boxed;
  Program holder(task_holder(boxed));
  holder.wait_for_output("up");
  const std::string name = boxed.containers().at(0);
  const Outcome outcome =
      Program(boxed.run({"--container", name},
                        {"sh", "-c",
                         "(setsid sh -c 'echo $$ > away; exec sleep 1000' &); sleep 0.5; exit 0"},
                        "8"))
          .finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_FALSE(boxed.lives("away"));
  CHECK(boxed.containers() == std::vector<std::string>{name});
  const Outcome strange = Program(boxed.run({"--container", "stranger"}, {"true"}, "9")).finish();
  CHECK(strange.code == 2);
  CHECK(strange.err.find("No such container") != std::string::npos);
}

TEST_CASE("container: a run that has joined one ends nothing of another that has") {
  const Boxed boxed;
  Program holder(task_holder(boxed));
  holder.wait_for_output("up");
  const std::string name = boxed.containers().at(0);
  Program long_one(boxed.run(
      {"--container", name},
      {"sh", "-c", "echo begun; while [ ! -e go-on ]; do sleep 0.05; done; echo done; exit 7"}));
  long_one.wait_for_output("begun");
  const Outcome short_one = Program(boxed.run({"--container", name},
                                              {"sh", "-c",
                                               "setsid sh -c 'echo $$ > away; exec sleep 1000' & "
                                               "while [ ! -s away ]; do sleep 0.05; done"},
                                              "8"))
                                .finish();
  CHECK(short_one.code == 0);
  CHECK_FALSE(boxed.lives("away"));
  boxed.workspace.write("project/go-on", "");
  const Outcome outcome = long_one.finish();
  INFO(outcome.out << outcome.err);
  CHECK(outcome.out.find("done") != std::string::npos);
  CHECK(boxed.workspace.run_of("7").result.at("agent_exit_code") == 7);
}

TEST_CASE("container: what makes no sense is refused, and by name") {
  const Boxed boxed;
  const auto refusal = [&boxed](Words words) {
    const Outcome outcome = Program(boxed.run(std::move(words), {"true"})).finish();
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK(refusal({}).find("--image") != std::string::npos);
  CHECK(refusal({"--image", "missing:1"}).find("docker pull missing:1") != std::string::npos);
  CHECK(refusal({"--image", "i", "--net", "443"}).find("ports are for the fence") !=
        std::string::npos);
  CHECK(refusal({"--image", "i", "--write", "/tmp"}).find("--mount SRC:DST") != std::string::npos);
  CHECK(refusal({"--image", "i", "--env", "A.B=1"}).find("letters, digits and _") !=
        std::string::npos);
  CHECK(refusal({"--image", "i", "--mount", "/nowhere:/x"}).find("no such file") !=
        std::string::npos);
  CHECK(refusal({"--image", "i", "--session-manager", "tmux"}).find("--session-manager") !=
        std::string::npos);
  CHECK(refusal({"--container", "c", "--image", "i"}).find("joins one that stands") !=
        std::string::npos);
  const Outcome fenced = Program(boxed.orch({"run", "7", "--image", "i", "--", "true"})).finish();
  CHECK(fenced.code == 2);
  CHECK(fenced.err.find("go with --sandbox docker") != std::string::npos);
  CHECK_FALSE(boxed.workspace.has_state());

  boxed.workspace.write("daemon/down", "");
  const Outcome swept = Program(boxed.orch({"gc"})).finish();
  CHECK(swept.code == 0);
  CHECK(swept.err.find("containers of docker were not looked for: ") != std::string::npos);
  const Outcome down = Program(boxed.shell("true")).finish();
  CHECK(down.code == 125);
  CHECK(down.err.find("no daemon answers") != std::string::npos);
}
