// A user attaches to a session and leaves it again.
#include <signal.h>

#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// A session in the background, to which viewers attach.
class Scene {
 public:
  explicit Scene(const std::string& script) {
    const Words words{"run", "7", "-d", "--until", "exit", "--", "/bin/sh", "-c", script};
    REQUIRE(Program(workspace.orch(words)).finish().code == 0);
  }
  ~Scene() { Program(workspace.orch({"kill", "7", "--now"})).finish(); }

  Launch viewer(Words more = {}) const {
    Words words{"attach", "7"};
    words.insert(words.end(), more.begin(), more.end());
    Launch launch = workspace.orch(words);
    launch.terminal = TerminalSize{100, 30};
    launch.errors_on_terminal = true;
    return launch;
  }
  Json status() const {
    return Json::parse(Program(workspace.orch({"status", "7", "--json"})).finish().out);
  }

  Workspace workspace;
};

void check_left(const Outcome& outcome, int code, const std::string& last) {
  INFO(outcome.out);
  CHECK(outcome.code == code);
  CHECK(outcome.terminal_as_found);
  CHECK(outcome.out.find(kLeaveScreen) != std::string::npos);
  CHECK(last_line(outcome.out).find(last) != std::string::npos);
}

// A script that prints what it reads, and its window size whenever that changes.
const std::string kEcho =
    "trap 'echo size $(stty size)' WINCH; echo ready; "
    "while true; do read word && echo \"got $word.\"; done";

}  // namespace

TEST_CASE("who attaches sees the screen, types into it, and leaves a session that goes on") {
  const Scene scene(kEcho);
  Program viewer(scene.viewer());
  viewer.wait_for_output(kEnterScreen);
  viewer.wait_for_drawn("ready");
  viewer.wait_for_drawn("Ctrl-] leaves");
  viewer.type("hello\r");
  viewer.wait_for_drawn("got hello.");
  viewer.type(kLeavingKey);
  check_left(viewer.finish(), 0, "orch: left orch-7, which goes on");
  CHECK(scene.status().at("status") != "exited");

  Program again(scene.viewer());  // it finds the earlier output
  again.wait_for_drawn("got hello.");
  again.type(std::string("bye\r") +
             kLeavingKey);  // in one piece: what comes before the key is typed
  check_left(again.finish(), 0, "orch: left orch-7, which goes on");
  Program last(scene.viewer());
  last.wait_for_drawn("got bye.");
  last.type(kLeavingKey);
  CHECK(last.finish().code == 0);
}

TEST_CASE("the window of who may type is the agent's, less the line; nobody's: the run's own") {
  const Scene scene(kEcho);
  {
    Program viewer(scene.viewer());
    viewer.wait_for_drawn("size 29 100");
    viewer.resize({90, 20});
    viewer.wait_for_drawn("size 19 90");
    Program other(scene.viewer({"--read-only"}));
    other.wait_for_drawn("size 19 90");
    viewer.type(kLeavingKey);
    CHECK(viewer.finish().code == 0);
    other.wait_for_drawn("size 40 120");
    other.type("q");
    CHECK(other.finish().code == 0);
  }
}

TEST_CASE("who only looks types nothing") {
  const Scene scene(kEcho);
  Program viewer(scene.viewer({"-r"}));
  viewer.wait_for_drawn("read-only");
  viewer.type("hello\r");
  Program other(scene.viewer());
  other.wait_for_drawn("ready");
  other.type("mine\r");
  viewer.wait_for_drawn("got mine.");
  CHECK(viewer.output().find("hello") == std::string::npos);
  other.type(kLeavingKey);
  other.finish();
  viewer.type(kLeavingKey);
  CHECK(viewer.finish().code == 0);
}

TEST_CASE("another key to leave by, which is then the agent's no more; the usual one is") {
  const Scene scene("stty raw -echo; echo ready; exec cat -v");
  Program viewer(scene.viewer({"--detach-key", "C-a"}));
  viewer.wait_for_drawn("Ctrl-A leaves");
  viewer.type(kLeavingKey);
  viewer.wait_for_drawn("^]");
  viewer.type("\x01");
  CHECK(viewer.finish().code == 0);
}

TEST_CASE("a session that ends meanwhile ends its viewers with its own code") {
  const Scene scene("echo ready; read word; exit 3");
  Program viewer(scene.viewer());
  Program other(scene.viewer({"--read-only"}));
  viewer.wait_for_drawn("ready");
  other.wait_for_drawn("ready");
  viewer.type("\r");
  const Outcome outcome = viewer.finish();
  CHECK(outcome.code != 0);
  check_left(other.finish(), outcome.code, "orch: orch-7 has ended: ");
  check_left(outcome, outcome.code, "orch: orch-7 has ended: ");
}

TEST_CASE("whatever ends a viewer or its host, the terminal is as it was", "[old-kernel]") {
  const Scene scene("printf '\\033[?2004h\\033[?1000h\\033[?1h'; echo ready; sleep 1000");
  for (const int signum : {SIGTERM, SIGHUP, SIGSEGV, SIGKILL}) {
    CAPTURE(signum);
    Launch launch = scene.viewer();
    launch.env.push_back("ASAN_OPTIONS=handle_segv=0:allow_user_segv_handler=1:detect_leaks=0");
    Program viewer(launch);
    viewer.wait_for_drawn("ready");
    viewer.signal(signum);
    const Outcome outcome = viewer.finish();
    CHECK(outcome.code == 128 + signum);
    CHECK(outcome.terminal_as_found);
    CHECK(outcome.out.rfind(kLeaveScreen) > outcome.out.rfind(kEnterScreen));
    for (const std::string mode : {"1l", "2004l", "1000l"}) {
      CHECK(outcome.out.rfind("\x1b[?" + mode) > outcome.out.rfind(kEnterScreen));
    }
  }
  Program viewer(scene.viewer());
  viewer.wait_for_drawn("ready");
  ::kill(scene.status().at("pid").get<pid_t>(), SIGKILL);
  check_left(viewer.finish(), 125, "its host has died");
}

TEST_CASE(
    "a garbled TERM shows the same; a dumb one, a pipe and a wrong key are refused in one line") {
  const Scene scene(kEcho);
  Launch garbled = scene.viewer();
  garbled.env.push_back("TERM=\x01 no such/../terminal");
  Program viewer(garbled);
  viewer.wait_for_drawn("ready");
  viewer.type(kLeavingKey);
  CHECK(viewer.finish().code == 0);

  const auto refused = [](const Launch& launch, int code, const std::string& why) {
    const Outcome outcome = Program(launch).finish();
    INFO(outcome.err << outcome.out);
    CHECK(outcome.code == code);
    CHECK((outcome.err + outcome.out).find(why) != std::string::npos);
    CHECK(outcome.out.find('\x1b') == std::string::npos);
  };
  Launch dumb = scene.viewer();
  dumb.env.push_back("TERM=dumb");
  refused(dumb, 2, "needs a terminal");
  refused(scene.workspace.orch({"attach", "7"}), 2, "needs a terminal");
  refused(scene.viewer({"--detach-key", "F1"}), 2, "--detach-key");
  Launch missing = scene.viewer();
  missing.argv.back() = "8";
  refused(missing, 4, "8");
}

TEST_CASE("nobody attaches to a session from inside of it") {
  const Scene scene("read go; " ORCH_PROGRAM " attach 7; echo code $?; sleep 1000");
  Program viewer(scene.viewer());
  viewer.wait_for_drawn("Ctrl-] leaves");
  viewer.type("\r");
  viewer.wait_for_drawn("this terminal is orch-7's own");
  viewer.type(kLeavingKey);
  CHECK(viewer.finish().code == 0);
}
