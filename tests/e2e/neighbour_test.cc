// How orch treats the terminal that it was started on, and other programs that draw there.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

constexpr const char* kStop = "\x13";     // Ctrl-S: the terminal accepts no output
constexpr const char* kSuspend = "\x1a";  // Ctrl-Z
constexpr std::string_view kErase = "\r\x1b[K";

}  // namespace

TEST_CASE("a terminal that was stopped holds up neither status nor a signal") {
  const Workspace workspace;
  Program program(on_terminal(workspace.shell("exec sleep 1000")));
  program.wait_for_output("orch-7");
  program.type(kStop);
  for (int i = 0; i < 20; ++i) {  // longer than it takes to redraw the line
    const auto begin = Clock::now();
    CHECK(Program(workspace.orch({"status", "7"})).finish().code == 0);
    CHECK(Clock::now() - begin < std::chrono::seconds(5));
  }
  program.signal(SIGTERM);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 143);
  CHECK(outcome.terminal_as_found);
  CHECK(workspace.run_of().result.at("reason") == "terminated");
}

TEST_CASE("a terminal that was stopped holds up no timeout, though the agent has said much") {
  const Workspace workspace;
  Program program(on_terminal(workspace.shell(
      "echo begin; read word < " + workspace.file("gate") + "; seq 1 30000; exec sleep 1000",
      {"--timeout", "3s"})));
  const Gate gate(workspace.file("gate"));
  program.wait_for_output("begin");
  program.type(kStop);
  gate.let_through();
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 124);
  CHECK(outcome.terminal_as_found);
}

TEST_CASE("standard error that nobody reads holds nothing up") {
  const Workspace workspace;
  const std::string pipe = workspace.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  // The pipe is filled completely before orch gets it, and kept open for reading.
  const Launch launch = by_shell(workspace.shell("echo words"),
                                 "exec 3<>" + pipe + "; dd if=/dev/zero of=" + pipe +
                                     " bs=4096 oflag=nonblock 2>/dev/null; exec \"$@\" 2>&3");
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "words\n");
}

TEST_CASE("where a pager or tee reads standard output no status line is drawn") {
  const Workspace workspace;
  const Launch launch = on_terminal(workspace.demo("default", {"-p", "do it"}));
  const std::string file = workspace.file("out");
  Program program(by_shell(launch, "\"$@\" | cat > " + file + "; exit ${PIPESTATUS[0]}"));
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.terminal_as_found);
  CHECK(outcome.out == "orch: orch-7: complete (exit 0)\r\n");
}

TEST_CASE("on a terminal of its own the status line is drawn, and no longer there at the end") {
  const Workspace workspace;
  const Outcome outcome = Program(on_terminal(workspace.demo("default", {"-p", "do it"}))).finish();
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.out, std::string(kErase) + "\x1b[2m"));
  CHECK(outcome.terminal_as_found);
  const size_t last = outcome.out.rfind("\x1b[m");
  CHECK(outcome.out.find(kErase, last) != std::string::npos);
}

TEST_CASE("a job in the background draws nothing, changes no mode and is not stopped") {
  const Workspace workspace;
  const Launch launch = on_terminal(workspace.demo("default", {"-p", "do it"}));
  const Outcome outcome =
      Program(by_shell(launch,
                       "set -m; stty tostop; \"$@\" & wait %1; code=$?; stty -tostop; "
                       "exit $code"))
          .finish();
  CHECK(outcome.code == 0);
  CHECK_FALSE(holds(outcome.out, "\x1b"));
  CHECK(holds(outcome.out, "orch: orch-7: complete (exit 0)\r\n"));
  CHECK(outcome.terminal_as_found);
}

TEST_CASE("a dumb terminal gets no escape sequence, and NO_COLOR no colour") {
  for (const std::string variable : {"TERM=dumb", "NO_COLOR=1"}) {
    INFO(variable);
    const Workspace workspace;
    Launch launch = on_terminal(workspace.demo("default", {"-p", "do it", "--live", "never"}));
    std::erase_if(launch.env, [](const auto& entry) { return entry.starts_with("TERM="); });
    launch.env.push_back(variable);
    const Outcome outcome = Program(launch).finish();
    CHECK(outcome.code == 0);
    CHECK(holds(outcome.out, "\x1b") == (variable == "NO_COLOR=1"));  // from the status line
    CHECK_FALSE(holds(outcome.out, "m· "));
    CHECK_FALSE(holds(outcome.out, "\x1b[2m"));
    CHECK_FALSE(holds(outcome.out, "\x1b[m"));
    CHECK(outcome.terminal_as_found);
  }
}

TEST_CASE("the terminal's modes are what they were, however a run ends") {
  for (const std::string script : {"exit 0", "exit 3", "kill -KILL $$"}) {
    INFO(script);
    const Workspace workspace;
    Program program(on_terminal(workspace.shell(script)));
    CHECK(program.finish().terminal_as_found);
  }
  for (const int signum : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV}) {
    INFO(signum);
    const Workspace workspace;
    Launch launch = on_terminal(workspace.shell("exec sleep 1000"));
    launch.env.push_back("ASAN_OPTIONS=handle_segv=0");
    Program program(launch);
    program.wait_for_output("orch-7");
    program.signal(signum);
    const Outcome outcome = program.finish();
    CHECK(outcome.code == (signum == SIGHUP ? 128 + SIGTERM : 128 + signum));
    CHECK(outcome.terminal_as_found);
  }
}

TEST_CASE("a run that is suspended leaves the terminal as it was, and takes it again") {
  const Workspace workspace;
  const Gate gate(workspace.file("gate"));
  const Launch launch =
      on_terminal(workspace.shell("read word < " + workspace.file("gate") + "; echo words"));
  const std::string before = workspace.file("before"), stopped = workspace.file("stopped"),
                    after = workspace.file("after");
  Program program(by_shell(launch, "set -m; stty -a > " + before + "; \"$@\"; stty -a > " +
                                       stopped + "; echo it stopped; fg; stty -a > " + after));
  program.wait_for_output("orch-7");
  program.type(kSuspend);
  program.wait_for_output("it stopped");
  gate.let_through();
  const Outcome outcome = program.finish();
  CHECK(holds(outcome.out, "words\r\n"));
  CHECK(outcome.terminal_as_found);
  CHECK(content_of(stopped) == content_of(before));
  CHECK(content_of(after) == content_of(before));
}

TEST_CASE("the answers of our terminal to what the agent asks do not become its user's keys") {
  const Workspace workspace;
  // The pieces are written separately, as a program's buffers may leave them.
  const std::string script =
      "printf 'a\\033['; printf '6nb\\033]11;?\\033'; printf '\\\\c\\033[cd'";
  const Launch launch = workspace.shell("stty -echo; " + script, {"--output", "raw"});
  const Outcome piped = Program(launch).finish();
  CHECK(holds(piped.out, "\x1b[6n"));
  CHECK(holds(piped.out, "\x1b]11;?\x1b\\"));
  const Workspace other;
  const Outcome shown =
      Program(on_terminal(other.shell("stty -echo; " + script, {"--output", "raw"}))).finish();
  CHECK(holds(shown.out, "abcd"));
  for (const Words& words : std::initializer_list<Words>{{"logs", "--raw", "7"}}) {
    const Outcome logs = Program(on_terminal(workspace.orch(words))).finish();
    CHECK(holds(logs.out, "abcd"));
  }
}

TEST_CASE("somebody who is needed is called, unless they want no bell") {
  for (const bool bell : {true, false}) {
    const Workspace workspace;
    const Words words = bell ? Words{} : Words{"--no-bell"};
    Launch launch = on_terminal(workspace.demo("permission", words));
    Program program(launch);
    program.wait_for_output("orch: orch-7 waits: ");
    program.signal(SIGTERM);
    const Outcome outcome = program.finish();
    CHECK(holds(outcome.out, "\x1b]0;orch-7 waits: permission\a") == bell);
    CHECK(holds(outcome.out, "\x1b]9;orch-7 waits: permission\a") == bell);
    CHECK(holds(outcome.out, "\x1b[23;0t") == bell);
    CHECK(holds(outcome.out, "\a") == bell);
  }
}

TEST_CASE(
    "who waits for a session on a terminal, or follows it, is called, unless without a bell") {
  for (const bool bell : {true, false}) {
    const Workspace workspace;
    const Words quiet = bell ? Words{} : Words{"--no-bell"};
    const auto begin = [&](Words words) {
      words.insert(words.end(), quiet.begin(), quiet.end());
      return on_terminal(workspace.orch(std::move(words)));
    };
    const Words session{"-d", "--until", "exit"};
    REQUIRE(Program(workspace.demo("permission", session)).finish().code == 0);
    Program follower(begin({"logs", "-f", "--json", "7"}));
    follower.wait_for_output("\"event\":\"session\"");
    Program waiter(begin({"wait", "7", "--until", "waiting"}));
    REQUIRE(Program(workspace.orch({"send", "7", "do it"})).finish().code == 0);
    const Outcome waited = waiter.finish();
    CHECK(waited.code == 0);
    CHECK(holds(waited.out, "\x1b]777;notify;orch;orch-7: waiting/permission\a") == bell);
    CHECK(holds(waited.out, "\a") == bell);
    follower.wait_for_output("\"event\":\"dialog\"");
    REQUIRE(Program(workspace.orch({"kill", "--now", "7"})).finish().code == 0);
    const std::string followed = follower.finish().out;
    CHECK(holds(followed, "\x1b]777;notify;orch;orch-7 waits: Do you want to proceed?\a") == bell);
    CHECK(holds(followed, "\a") == bell);
  }
}

TEST_CASE("the states of sessions are coloured where that is asked for") {
  const Workspace workspace;
  Program host(workspace.demo("permission", {"--ask-timeout", "1000s"}));
  Outcome status;
  do {
    status = Program(workspace.orch({"status", "--color", "always", "7"})).finish();
  } while (!holds(status.out, "waiting"));
  CHECK(holds(status.out, "\x1b[33mwaiting\x1b[m"));
  const Outcome forced = Program(workspace.orch({"sessions", "--color=always"})).finish();
  CHECK(holds(forced.out, "\x1b[33mwaiting/permission"));
  const Outcome plain = Program(workspace.orch({"sessions"})).finish();
  CHECK_FALSE(holds(plain.out, "\x1b"));
  const Outcome wrong = Program(workspace.orch({"sessions", "--color", "pink"})).finish();
  CHECK(wrong.code == 2);
  CHECK(lines_of(wrong.err).size() == 1);
}
