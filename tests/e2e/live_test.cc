// What a person sees of a run on their terminal, and what their keys do there.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "term/render.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

constexpr const char* kRule = "── demo · Ctrl-] takes over ──";
constexpr const char* kQuestion = "orch: orch-7 waits: Do you want to proceed?";

// The terminal with all that was written on it.
std::string shown(const std::string& output, TerminalSize size = {100, 200}) {
  orch::term::Screen screen({size.cols, size.rows});
  screen.feed(output);
  return orch::term::render_text(screen);
}

// Presses the key until the text is seen, as slowly as a person does: one that comes at once after
// the question is not taken, and that is said.
void press(Program& program, const std::string& key, const std::string& until) {
  const Clock::time_point end = Clock::now() + kPatience;
  while (!holds(program.output(), until)) {
    REQUIRE(Clock::now() < end);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    program.type(key);
    program.wait_for_more_output();
  }
}

}  // namespace

TEST_CASE("while an agent works its last rows stand above the status line, and go with it") {
  const Workspace workspace;
  Program program(on_terminal(workspace.demo("default", {"-p", "do it"})));
  program.wait_for_output("orch: orch-7 works in " + workspace.project() + " (orch attach 7)\r\n");
  program.wait_for_drawn(kRule);
  program.wait_for_drawn("esc to stop");  // the agent's own foot
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.terminal_as_found);
  const std::string left = shown(outcome.out);
  CHECK_FALSE(holds(left, "takes over"));
  CHECK_FALSE(holds(left, "esc to stop"));
  for (const std::string& line : lines_of(workspace.run_of().words())) {
    INFO(line);
    CHECK(count_of(left, line + "\n") >= 1);
  }
  CHECK(count_of(left, "The README says what it should") == 1);
  CHECK(holds(left, "orch: orch-7: complete (exit 0)"));
}

TEST_CASE("on request, and on a terminal that is too small, only words are shown") {
  const Workspace asked, small;
  for (const Launch& launch :
       {on_terminal(asked.demo("default", {"-p", "do it", "--live", "never"})),
        on_terminal(small.demo("default", {"-p", "do it"}), {100, 9})}) {
    const Outcome outcome = Program(launch).finish();
    CHECK(outcome.code == 0);
    CHECK_FALSE(holds(outcome.out, "takes over"));
    CHECK(holds(outcome.out, "The README says what it should"));
  }
}

TEST_CASE("without a live view a dialog is answered as it always was") {
  const Workspace workspace;
  Program program(asking(workspace, {"--live", "never", "--ask-timeout", "2s"}));
  program.wait_for_output(std::string(kQuestion) + " (Ctrl-] to answer)\r\n");
  program.type("y");
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 10);
  CHECK_FALSE(holds(outcome.out, "answered"));
}

TEST_CASE("a dialog shows its command and its keys, and y allows it") {
  const Workspace workspace;
  Program program(asking(workspace));
  program.wait_for_output(std::string(kQuestion) + "\r\n");
  program.wait_for_drawn("$ touch out.txt && echo tests passed");
  program.wait_for_drawn("y yes   n no   1-2 choose   e take over");
  press(program, "y", "orch: orch-7: answered yes\r\n");
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.terminal_as_found);
  const std::string left = shown(outcome.out);
  CHECK(count_of(left, "orch-7 waits: Do you want to proceed?") == 1);
  CHECK_FALSE(holds(left, "1-2 choose"));
  CHECK(holds(left, "The tests passed."));
  std::string by;
  for (const Json& event : workspace.run_of().events) {
    if (event.at("event") == "dialog" && event.at("answer").is_string()) by = event.at("by");
  }
  CHECK(by == "user");
}

TEST_CASE("n refuses, and a number chooses") {
  for (const std::string key : {"n", "2"}) {
    const Workspace workspace;
    Program program(asking(workspace));
    program.wait_for_drawn("e take over");
    press(program, key, "orch: orch-7: answered ");
    program.wait_for_output("Understood, I did not run it.");
    program.signal(SIGTERM);
    CHECK(program.finish().terminal_as_found);
    CHECK_FALSE(std::filesystem::exists(workspace.file("project/out.txt")));
  }
}

TEST_CASE("e takes over below the line that attach has, and Ctrl-] brings the dialog back") {
  const Workspace workspace;
  Program program(asking(workspace));
  program.wait_for_drawn("e take over");
  press(program, "e", "\x1b[?1049h");
  program.wait_for_drawn("orch-7  demo  waiting/permission  turn 1  Ctrl-] leaves");
  program.type(kLeavingKey);
  program.wait_for_output("\x1b[?1049l");
  press(program, "y", "orch: orch-7: answered yes\r\n");
  CHECK(program.finish().code == 0);
}

TEST_CASE("a question without a yes or no is answered by a number") {
  const Workspace workspace;
  Program program(on_terminal(workspace.demo("question", {"-p", "do it"})));
  program.wait_for_drawn("1-3 choose   e take over");
  press(program, "2", "orch: orch-7: answered 2\r\n");
  CHECK(program.finish().code == 0);
}

TEST_CASE("Ctrl-C says what it does, and what a second one would") {
  const Workspace workspace;
  Program program(
      on_terminal(workspace.shell("trap '' INT TERM; echo up; while :; do sleep 1; done")));
  program.wait_for_output("up");
  program.type("\x03");
  program.wait_for_output("orch: asking the agent to end; Ctrl-C again ends it at once\r\n");
  program.type("\x03");
  const Outcome outcome = program.finish();
  CHECK(holds(outcome.out, "orch: ending the agent at once\r\n"));
  CHECK(outcome.code == 130);
  CHECK(outcome.terminal_as_found);
}

TEST_CASE("the status line tells which gate runs") {
  const Workspace workspace;
  const Gate gate(workspace.file("gate"));
  Program program(on_terminal(workspace.demo(
      "default", {"-p", "do it", "--verify", "read word < " + workspace.file("gate")})));
  program.wait_for_drawn("gate 1 for ");
  program.wait_for_drawn(": read word <");
  gate.let_through();
  CHECK(program.finish().code == 0);
}

TEST_CASE("words keep the agent's colours on a terminal that has them, and nowhere else") {
  const std::string script = "printf '\\033[1;36mbold words\\033[m\\n'; sleep 1";
  const Workspace colored, plain, piped;
  const Outcome on_color = Program(on_terminal(colored.shell(script))).finish();
  CHECK(holds(on_color.out, "\x1b[0;1;38;5;6mbold words\x1b[m\r\n"));
  const Outcome never = Program(on_terminal(plain.shell(script, {"--live", "never"}))).finish();
  CHECK(holds(never.out, "bold words\r\n"));
  CHECK_FALSE(holds(never.out, ";6m"));
  CHECK(Program(piped.shell(script)).finish().out == "bold words\n");
}

TEST_CASE("nothing of an agent reaches the terminal but cells: no title, no clipboard, no query") {
  const Workspace workspace;
  const std::string script =
      "stty -echo; printf '\\033]52;c;Zm9v\\a\\033]0;owned\\a\\033[6n\\033[?1049hfull "
      "screen\\r\\n'; sleep 1; "
      "printf 'done\\r\\n'; sleep 1";
  const Outcome outcome = Program(on_terminal(workspace.shell(script))).finish();
  CHECK(holds(shown(outcome.out), "done"));
  for (const char* sequence : {"\x1b]52", "owned", "\x1b[6n", "\x1b[?1049h"}) {
    INFO(sequence);
    CHECK_FALSE(holds(outcome.out, sequence));
  }
}

TEST_CASE("the rows follow the window when its size changes") {
  const Workspace workspace;
  Program program(asking(workspace, {}, {80, 24}));
  program.wait_for_drawn("1-2 choose");
  program.resize({60, 10});
  program.wait_for_drawn("rows 1-3 of 4, Space shows more");
  press(program, " ", "rows 2-4 of 4");
  program.resize({120, 40});
  program.wait_for_drawn("1. Yes\n");
  press(program, "y", "answered yes");
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.terminal_as_found);
}

TEST_CASE("Ctrl-Z takes the rows away, and fg brings them back once") {
  const Workspace workspace;
  Launch launch = asking(workspace);
  const std::string stopped = workspace.file("stopped");
  launch.argv.insert(launch.argv.begin(),
                     {"/bin/bash", "-c",
                      "set -m; \"$@\"; stty -a > " + stopped + "; echo it stopped; fg", "bash"});
  Program program(launch);
  program.wait_for_drawn("1-2 choose");
  program.type("\x1a");
  program.wait_for_output("it stopped");
  const std::string at_stop = program.output().substr(0, program.output().find("it stopped"));
  CHECK_FALSE(holds(shown(at_stop), "1-2 choose"));
  CHECK(holds(content_of(stopped), " icanon"));
  const size_t before = at_stop.size();
  while (!holds(program.output().substr(before), "1-2 choose")) program.wait_for_more_output();
  program.wait_for_more_output();
  CHECK(count_of(shown(program.output()), "1-2 choose") == 1);
  press(program, "y", "answered yes");
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.terminal_as_found);
}

TEST_CASE("the dialogs of a batch are answered by the same keys, one after the other") {
  const Workspace workspace;
  Launch launch = workspace.demo("permission", {"8", "-p", "do it", "--until", "idle"});
  Program program(on_terminal(launch, {100, 40}));
  program.wait_for_drawn("asks · Tab for 1 more");
  program.wait_for_drawn("y yes   n no   1-2 choose   e take over");
  press(program, "y", ": answered yes\r\n");
  program.wait_for_drawn("e take over");
  const Clock::time_point end = Clock::now() + kPatience;
  while (count_of(program.output(), ": answered yes\r\n") < 2) {
    REQUIRE(Clock::now() < end);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    program.type("y");
    program.wait_for_more_output();
  }
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.terminal_as_found);
  CHECK(holds(outcome.out, "orch: orch-7: answered yes"));
  CHECK(holds(outcome.out, "orch: orch-8: answered yes"));
}

TEST_CASE("e takes over the session of a batch whose dialog is shown") {
  const Workspace workspace;
  Launch launch = workspace.demo("permission", {"8", "-p", "do it"});
  Program program(on_terminal(launch, {100, 40}));
  program.wait_for_drawn("asks · Tab for 1 more");
  press(program, "e", std::string(kEnterScreen));
  program.wait_for_drawn("waiting/permission  turn 1  Ctrl-] leaves");
  program.type(kLeavingKey);
  program.wait_for_drawn("e take over");
  program.signal(SIGTERM);
  CHECK(program.finish().terminal_as_found);
}
