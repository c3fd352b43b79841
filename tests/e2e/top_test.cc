// orch top on a terminal.
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "term/render.h"
#include "term/screen.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

using orch::term::Screen;

// Starts a session in the background, and returns once it has started.
void start(const Workspace& workspace, const std::string& issue, const std::string& scenario) {
  const Outcome outcome = Program(workspace.demo(scenario, {"-d", "-p", "do it"}, issue)).finish();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
}

void wait_until(const Workspace& workspace, const std::string& issue, const std::string& status) {
  const Outcome outcome = Program(workspace.orch({"wait", issue, "--until", status})).finish();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
}

void kill_all(const Workspace& workspace) {
  Program(workspace.orch({"kill", "--all", "--now"})).finish();
}

// A terminal on which orch top runs, and what it shows.
class TopTerminal {
 public:
  explicit TopTerminal(const Workspace& workspace, TerminalSize size = {100, 24},
                       Words words = {"top"}, const Words& env = {})
      : program_(launch(workspace, size, std::move(words), env)), screen_({size.cols, size.rows}) {}

  // Waits until the text is on the screen.
  void wait_for(const std::string& text) { program_.wait_for_drawn(text); }
  void wait_until_gone(const std::string& text) {
    wait_for([&text](const std::string& shown) { return shown.find(text) == std::string::npos; },
             "no " + text);
  }
  void wait_for(const std::function<bool(const std::string&)>& holds, const std::string& what) {
    const auto until = Clock::now() + kPatience;
    while (!holds(shown())) {
      INFO("waits for " << what << "\n" << shown());
      REQUIRE(Clock::now() < until);
      program_.wait_for_more_output();
    }
  }
  std::string shown() {
    const std::string& output = program_.output();
    screen_.feed(std::string_view(output).substr(fed_));
    fed_ = output.size();
    return orch::term::render_text(screen_);
  }
  void type(std::string_view keys) { program_.type(keys); }
  void resize(TerminalSize size) {
    shown();
    screen_.resize({size.cols, size.rows});
    program_.resize(size);
  }
  void signal(int signum) { program_.signal(signum); }
  Screen& screen() {
    shown();
    return screen_;
  }
  pid_t pid() const { return program_.pid(); }

  // Waits for its end, and checks that the terminal is as it was.
  Outcome finish() {
    Outcome outcome = program_.finish();
    CHECK(outcome.terminal_as_found);
    shown();
    const orch::term::Modes& modes = screen_.modes();
    CHECK_FALSE(modes.alternate);
    CHECK(modes.mouse == 0);
    CHECK_FALSE(modes.bracketed_paste);
    CHECK(modes.cursor_visible);
    CHECK(modes.autowrap);
    return outcome;
  }

 private:
  static Launch launch(const Workspace& workspace, TerminalSize size, Words words,
                       const Words& env) {
    Launch launch = workspace.orch(std::move(words));
    launch.terminal = size;
    launch.errors_on_terminal = true;
    launch.env.insert(launch.env.end(), env.begin(), env.end());
    return launch;
  }

  Program program_;
  Screen screen_;
  size_t fed_ = 0;
};

// Whether the first text is above the other one.
bool above(const std::string& shown, const std::string& first, const std::string& other) {
  const size_t a = shown.find(first), b = shown.find(other);
  return a != std::string::npos && b != std::string::npos && a < b;
}

// As long as a user needs to read what has just been drawn.
void read_it() { std::this_thread::sleep_for(std::chrono::seconds(1)); }

}  // namespace

TEST_CASE("top: who waits comes first; y answers, k asks and kills, / filters, q leaves") {
  const Workspace workspace;
  start(workspace, "1", "hang");
  start(workspace, "2", "permission");
  start(workspace, "3", "question");
  wait_until(workspace, "2", "waiting");
  wait_until(workspace, "3", "waiting");

  TopTerminal top(workspace);
  top.wait_for("2 waiting · 1 working");
  CHECK(above(top.shown(), "orch-2", "orch-1"));
  CHECK(above(top.shown(), "orch-3", "orch-1"));
  top.wait_for("Which database should the project use?");
  top.wait_for("y/n answer");

  top.type("/hap");
  top.wait_for("/hap");
  top.type(
      "\x15"
      "orch-2\r");
  top.wait_for([](const std::string& shown) { return shown.find("orch-3") == std::string::npos; },
               "the filtered rows");
  top.wait_for("$ touch out.txt");
  read_it();
  top.type("y");
  top.wait_for("orch-2: answered yes");
  top.wait_for("complete (0)");
  top.type("\x1b");  // shows all rows again
  top.wait_for("orch-3");

  top.type("\x1b[H");
  top.wait_for("PostgreSQL");
  top.type("x");
  top.wait_for("Kill orch-3 and all that it started? y/n");
  top.type("n");
  top.wait_for("orch-3 goes on");
  top.type("xy");
  top.wait_for("killed (137)");
  CHECK(workspace.run_of("3").result.at("reason") == "killed");
  CHECK(workspace.run_of("2").result.at("reason") == "complete");

  top.type("q");
  CHECK(top.finish().code == 0);
  kill_all(workspace);
}

TEST_CASE("top: a session that failed stands there with its turns and the reason") {
  const Workspace workspace;
  start(workspace, "1", "crash");
  Program(workspace.orch({"wait", "1", "--until", "exited"})).finish();
  const Json result = workspace.run_of("1").result;
  REQUIRE(result.at("turns") == 1);
  TopTerminal top(workspace);
  top.wait_for("orch-1");
  const std::string detail = result.at("detail").get<std::string>();
  top.wait_for("agent_failed (1): " + detail.substr(0, detail.find(": ")));  // the row is cut there
  top.wait_for("1 turn ");
  CHECK(top.shown().find(" errored ") != std::string::npos);
  top.type("q");
  top.finish();
  const Json all = Json::parse(Program(workspace.orch({"top", "--json"})).finish().out);
  CHECK(all.at(0).at("reason") == "agent_failed");
  CHECK(all.at(0).at("turns") == 1);
}

TEST_CASE("top: an option's number answers a question; at 60 columns, without colours") {
  const Workspace workspace;
  start(workspace, "3", "question");
  wait_until(workspace, "3", "waiting");
  TopTerminal top(workspace, {60, 16}, {"top"}, {"NO_COLOR=1"});
  top.wait_for("3. None of them");
  for (int row = 0; row < 16; ++row) {
    for (const orch::term::StyleId id : top.screen().row(row).styles) {
      const orch::term::Style style = top.screen().style(id);
      REQUIRE(style.fg == orch::term::Color{});
      REQUIRE(style.bg == orch::term::Color{});
    }
  }
  CHECK((top.screen().style(top.screen().row(2).styles[0]).attributes & orch::term::kInverse) != 0);
  read_it();
  top.type("2");
  top.wait_for("complete (0)");
  top.resize({20, 5});
  top.wait_for("q leave");
  top.resize({130, 40});
  top.wait_for("complete (0)");
  top.type("q");
  CHECK(top.finish().code == 0);
  CHECK(workspace.run_of("3").result.at("reason") == "complete");
}

TEST_CASE("top: Enter attaches to the session, and the key to leave comes back to the list") {
  const Workspace workspace;
  const Launch run = workspace.demo("echo", {"-d", "--until", "exit", "-p", "do it"}, "1");
  REQUIRE(Program(run).finish().code == 0);
  wait_until(workspace, "1", "idle");
  TopTerminal top(workspace);
  const std::string agents = "enter to send";  // is only on the agent's own screen
  for (const std::string message : {"once", "once more"}) {
    top.wait_for("1 idle");
    top.type("\r");
    top.wait_for("Ctrl-] leaves");
    top.wait_for(agents);
    top.type(message + "\r");
    top.wait_for('"' + message + '"');  // the agent's answer
    top.type("\x1d");
    top.wait_until_gone(agents);
    top.wait_for("q leave");
    CHECK(top.screen().modes().alternate);
    CHECK(top.screen().modes().mouse == (1 | 8));
    CHECK_FALSE(top.screen().modes().cursor_visible);
  }
  top.type("q");
  CHECK(top.finish().code == 0);
  wait_until(workspace, "1", "idle");  // the agent goes on
  CHECK(workspace.messages() == std::vector<std::string>{"do it", "once", "once more"});
  kill_all(workspace);
}

TEST_CASE("several issues in the foreground show a row each below what their agents say") {
  const Workspace workspace;
  Launch launch = workspace.orch({"run", "1", "2", "3", "--jobs", "2", "--agent", "demo", "--color",
                                  "never", "--ask-timeout", "5m", "-p", "do it"});
  launch.env.emplace_back("ORCH_DEMO_SCENARIO=permission");
  launch.terminal = TerminalSize{100, 24};
  launch.errors_on_terminal = true;
  Program program(launch);
  program.wait_for_output("orch-3   queued");
  for (const char* issue : {"1", "2", "3"}) {
    wait_until(workspace, issue, "waiting");
    CHECK(Program(workspace.orch({"answer", issue, "yes"})).finish().code == 0);
    if (std::string(issue) == "3") break;  // after the last one the rows are gone
    program.wait_for_output("orch-" + std::string(issue) + "   complete (0)");
  }
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.terminal_as_found);
  // What was said is left on the terminal, each line once, and no row.
  Screen screen({100, 60});
  screen.feed(outcome.out);
  const std::string shown = orch::term::render_text(screen);
  CHECK(count_of(shown, "Do you want to proceed?") == 0);
  CHECK(count_of(shown, "queued") == 0);
  CHECK(count_of(shown, "I will run the tests.") == 3);
  CHECK(count_of(shown, ": complete (exit 0)") == 3);
}

TEST_CASE("top: whatever ends it, the terminal is as it was") {
  struct End {
    int signum;
    int code;
  };
  for (const End end : {End{SIGTERM, 143}, End{SIGHUP, 129}, End{SIGINT, 130}}) {
    INFO(end.signum);
    const Workspace workspace;
    TopTerminal top(workspace);
    top.wait_for("no session");
    CHECK(top.screen().modes().alternate);
    CHECK(top.screen().modes().mouse == (1 | 8));
    top.signal(end.signum);
    CHECK(top.finish().code == end.code);
  }
  const Workspace workspace;
  TopTerminal top(workspace);
  top.wait_for("no session");
  top.type("\x03");
  CHECK(top.finish().code == 0);
}

TEST_CASE("top: Ctrl-Z gives the terminal back, and it comes back with the job") {
  const Workspace workspace;
  start(workspace, "1", "hang");
  Launch launch = workspace.orch({"top"});
  const std::string orch = launch.argv.front();
  // A shell with job control, which can continue a stopped job.
  launch.argv = {"/bin/bash", "-mc",
                 orch + " top; stty -a | grep -c -- ' -icanon'; fg; echo back $?"};
  launch.terminal = TerminalSize{80, 24};
  launch.errors_on_terminal = true;
  Program program(launch);
  program.wait_for_drawn("1 working");
  program.type("\x1a");
  program.wait_for_output(kLeaveScreen);
  program.wait_for_output("\r\n0\r\n");  // stty reports that the terminal reads lines
  while (count_of(program.output(), kEnterScreen) < 2) program.wait_for_more_output();
  program.type("q");
  program.wait_for_output("back 0");
  CHECK(program.finish().terminal_as_found);
  kill_all(workspace);
}

TEST_CASE("top: a session whose host is stopped keeps nobody waiting, and is seen to be so") {
  const Workspace workspace;
  start(workspace, "1", "hang");
  start(workspace, "2", "permission");
  wait_until(workspace, "2", "waiting");
  Json sessions;
  const auto until = Clock::now() + kPatience;
  do {  // that it waits is known before its dialog has been read
    sessions = Json::parse(Program(workspace.orch({"top", "--json"})).finish().out);
    REQUIRE(sessions.size() == 2);
    REQUIRE(Clock::now() < until);
  } while (sessions[0].at("dialog").is_null());
  CHECK(sessions[0].at("session") == "orch-2");
  CHECK(sessions[0].at("dialog").at("command") == "touch out.txt && echo tests passed");
  CHECK(sessions[1].at("dialog").is_null());
  const pid_t host = sessions[1].at("pid");
  TopTerminal top(workspace);
  top.wait_for("1 waiting · 1 working");
  ::kill(host, SIGSTOP);
  top.wait_for("unresponsive");
  top.type("y");  // orch-2 is still the selected one
  top.wait_for("complete (0)");
  ::kill(host, SIGCONT);
  top.wait_for("1 working");
  ::kill(host, SIGKILL);
  top.wait_until_gone("1 working");
  top.type("q");
  CHECK(top.finish().code == 0);
  kill_all(workspace);
}

TEST_CASE("top: where there is no terminal it says how a script asks; orch alone is top on one") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.orch({"top"})).finish();
  CHECK(outcome.code == 2);
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK(outcome.err.find("orch top --json") != std::string::npos);
  CHECK(Program(workspace.orch({})).finish().code == 0);
  TopTerminal alone(workspace, {80, 24}, {});
  alone.wait_for("no session");
  alone.type("q");
  CHECK(alone.finish().code == 0);
}
