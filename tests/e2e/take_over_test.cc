// A person at the terminal answers dialogs that nobody else answers.
#include <signal.h>

#include <catch2/catch.hpp>
#include <thread>

#include "workspace.h"

using namespace orch::e2e;

namespace {

constexpr const char* kAsked = "orch: orch-7 waits: Do you want to proceed?\r\n";

// The output that was written to the main screen.
std::string on_main_screen(std::string_view output) {
  std::string text;
  while (true) {
    const size_t enter = output.find(kEnterScreen);
    text += output.substr(0, enter);
    if (enter == std::string_view::npos) return text;
    output.remove_prefix(enter);
    const size_t leave = output.find(kLeaveScreen);
    REQUIRE(leave != std::string_view::npos);
    output.remove_prefix(leave + kLeaveScreen.size());
  }
}

// The text without what gives it colours and attributes.
std::string without_styles(std::string_view text) {
  std::string plain;
  while (true) {
    const size_t begin = text.find("\x1b[");
    plain += text.substr(0, begin);
    if (begin == std::string_view::npos) return plain;
    const size_t end = text.find_first_not_of("0123456789;", begin + 2);
    if (end == std::string_view::npos) return plain;
    if (text[end] != 'm') plain += text.substr(begin, end + 1 - begin);
    text.remove_prefix(end + 1);
  }
}

// Checks that the output has every line of the agent's once and in order, then the run's last
// words.
void check_output(const Outcome& outcome, const RunFolder& run, const std::string& last_words) {
  INFO(outcome.out);
  CHECK(outcome.terminal_as_found);
  const std::string text = without_styles(on_main_screen(outcome.out));
  size_t at = 0;
  for (const std::string& line : lines_of(run.words())) {
    INFO(line);
    const size_t found = text.find(line + "\r\n", at);
    REQUIRE(found != std::string::npos);
    at = found + line.size();
  }
  CHECK(text.find("orch: orch-7: " + last_words, at) != std::string::npos);
}

// Takes over the session and waits until the dialog is drawn.
void take_over(Program& program) {
  program.type(kLeavingKey);
  program.wait_for_output(kEnterScreen);
  program.wait_for_drawn("2. No");
}

}  // namespace

TEST_CASE("a person is asked, takes over, answers and hands back; then the run goes on") {
  const Workspace workspace;
  Program program(asking(workspace));
  program.wait_for_output(kAsked);
  take_over(program);
  program.type(std::string("1") + kLeavingKey);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  const RunFolder run = workspace.run_of();
  CHECK(run.result.at("reason") == "complete");
  check_output(outcome, run, "complete (exit 0)");
  CHECK(count_of(outcome.out, kAsked) == 1);
  CHECK(count_of(outcome.out, kEnterScreen) == 1);
  CHECK(outcome.out.find("tests passed") != std::string::npos);
}

TEST_CASE("an answer by arrows and Enter") {
  const Workspace workspace;
  Program program(on_terminal(workspace.demo("trust", {"-p", "do it"})));
  program.wait_for_output("orch-7 waits: Is this a project you created or one you trust?\r\n");
  take_over(program);
  program.type(std::string("\x1b[B\x1b[A\r") + kLeavingKey);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  check_output(outcome, workspace.run_of(), "complete (exit 0)");
  CHECK(workspace.messages().size() == 1);
}

TEST_CASE("a run may end while it is taken over") {
  const Workspace workspace;
  Program program(asking(workspace));
  program.wait_for_output(kAsked);
  take_over(program);
  program.type("1");
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  check_output(outcome, workspace.run_of(), "complete (exit 0)");
  CHECK(count_of(outcome.out, kEnterScreen) == 1);
}

TEST_CASE("while it is taken over nothing of orch's is typed, and a draft that is left stays") {
  const Workspace workspace;
  Program program(asking(workspace));
  program.wait_for_output(kAsked);
  take_over(program);
  program.type("2");
  program.wait_for_drawn("Understood, I did not run it.");
  program.type("afterthought");
  program.wait_for_drawn("afterthought");
  program.type(kLeavingKey);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 10);
  const RunFolder run = workspace.run_of();
  check_output(outcome, run, "needs_human (exit 10)");
  CHECK(run.result.at("detail").get<std::string>().find("draft") != std::string::npos);
  CHECK(workspace.messages().size() == 1);
}

TEST_CASE("taking over at any time shows the agent at work, and loses nothing") {
  const Workspace workspace;
  Program program(on_terminal(workspace.demo("long", {"-p", "count"})));
  program.wait_for_output("line 20 of 300\r\n");
  program.type(kLeavingKey);
  program.wait_for_output(kEnterScreen);
  program.wait_for_output("\x1b[?2026l");  // the end of a frame
  program.type(kLeavingKey);
  program.wait_for_output(kLeaveScreen);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  check_output(outcome, workspace.run_of(), "complete (exit 0)");
  CHECK(on_main_screen(outcome.out).find("line 300 of 300\r\n") != std::string::npos);
}

TEST_CASE("keys that were not asked for go nowhere") {
  const Workspace workspace;
  Program program(asking(workspace, {"--ask-timeout", "1s"}));
  program.type("1\r");
  program.wait_for_output(kAsked);
  program.type("1\r");
  program.type("x");
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 10);
  CHECK(outcome.terminal_as_found);
  CHECK(outcome.out.find(kEnterScreen) == std::string::npos);
}

TEST_CASE("Ctrl-C ends a run as it does without all this") {
  const Workspace workspace;
  Program program(asking(workspace));
  program.wait_for_output(kAsked);
  program.type("\x03");
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 130);
  CHECK(outcome.terminal_as_found);
}

TEST_CASE("whatever signal ends a run that is taken over, the terminal is as it was") {
  for (const int signum : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT}) {
    INFO(signum);
    const Workspace workspace;
    Program program(asking(workspace));
    program.wait_for_output(kAsked);
    take_over(program);
    program.signal(signum);
    const Outcome outcome = program.finish();
    const bool in_order = signum == SIGINT || signum == SIGTERM || signum == SIGHUP;
    CHECK(outcome.code == (signum == SIGHUP ? 143 : 128 + signum));
    CHECK(outcome.terminal_as_found);
    CHECK(count_of(outcome.out, kLeaveScreen) == 1);
    if (in_order)
      check_output(outcome, workspace.run_of(), signum == SIGINT ? "interrupted" : "terminated");
  }
}

TEST_CASE("what suspends a run hands back; where nobody could continue it, it goes on at once") {
  const Workspace workspace;
  Program program(asking(workspace));
  program.wait_for_output(kAsked);
  take_over(program);
  program.signal(SIGTSTP);
  program.wait_for_output(kLeaveScreen);
  program.type(std::string(kLeavingKey) + "1" + kLeavingKey);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  check_output(outcome, workspace.run_of(), "complete (exit 0)");
}

TEST_CASE("a window of other sizes than the agent's shows the end of its screen") {
  const Workspace workspace;
  Launch launch = asking(workspace, {"--size", "120x60"});
  launch.terminal = TerminalSize{60, 12};
  Program program(launch);
  program.wait_for_output(kAsked);
  take_over(program);
  CHECK(program.output().find("\x1b[12;1H") != std::string::npos);
  CHECK(program.output().find("\x1b[13;1H") == std::string::npos);
  program.wait_for_drawn("orch-7  demo  waiting/permission  turn 1  Ctrl-] leaves");
  program.type(std::string("1") + kLeavingKey);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.terminal_as_found);
}

TEST_CASE("nobody is asked where a policy answers, or where nobody could type") {
  const Workspace answered, piped;
  const Outcome by_policy = Program(asking(answered, {"--approve", "all"})).finish();
  CHECK(by_policy.code == 0);
  CHECK(by_policy.out.find("waits:") == std::string::npos);
  Launch launch = asking(piped);
  launch.errors_on_terminal = false;
  const Outcome unseen = Program(launch).finish();
  CHECK(unseen.code == 10);
  CHECK(unseen.terminal_as_found);
  CHECK(unseen.err.find("waits:") == std::string::npos);
}

TEST_CASE("a user whose prompt or words go through a pipe is asked on the terminal") {
  for (const std::string script :
       {"echo 'do it' | \"$@\" -p -", "\"$@\" -p 'do it' | cat > words.txt",
        "words=$(\"$@\" -p 'do it')"}) {
    INFO(script);
    const Workspace workspace;
    Launch launch = by_shell(on_terminal(workspace.demo("permission")), script);
    Program program(launch);
    program.wait_for_drawn("$ touch out.txt && echo tests passed");
    program.wait_for_drawn("1-2 choose");
    const Clock::time_point end = Clock::now() + kPatience;
    while (!holds(program.output(), "orch: orch-7: answered yes")) {
      REQUIRE(Clock::now() < end);
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      program.type("y");
      program.wait_for_more_output();
    }
    const Outcome outcome = program.finish();
    CHECK(outcome.code == 0);
    CHECK(outcome.terminal_as_found);
    CHECK(holds(outcome.out, "orch: orch-7: complete (exit 0)"));
  }
}

TEST_CASE("a pager keeps its keys: the command that answers is named") {
  const Workspace workspace;
  Launch launch = by_shell(on_terminal(workspace.demo("permission")),
                           "stty -icanon -echo; \"$@\" -p 'do it' | cat > words.txt");
  Program program(launch);
  program.wait_for_output("orch: orch-7 waits for you: orch answer 7\r\n");
  program.type("y");
  REQUIRE(run_orch(workspace, {"answer", "7", "no"}).code == 0);
  program.signal(SIGKILL);
  run_orch(workspace, {"kill", "--all", "--now"});
  CHECK_FALSE(holds(program.output(), "answered"));
}

TEST_CASE("input from /dev/null, and JSON, say that nobody is there") {
  for (const std::string script : {"\"$@\" -p 'do it' < /dev/null",
                                   "\"$@\" -p 'do it' --output json | cat > words.txt; exit "
                                   "${PIPESTATUS[0]:-10}"}) {
    INFO(script);
    const Workspace workspace;
    const Outcome outcome =
        Program(by_shell(on_terminal(workspace.demo("permission")), script)).finish();
    CHECK_FALSE(holds(outcome.out, "1-2 choose"));
    CHECK(workspace.run_of().result.at("reason") == "needs_human");
  }
}
