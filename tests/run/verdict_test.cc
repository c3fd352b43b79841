#include <catch2/catch.hpp>
#include <csignal>

#include "machine_rig.h"

namespace orch::run {
namespace {

using event::AgentStatus;
using event::Cause;
using event::ExitReason;

// Checks that the verdict is final, and that all that reports it agrees.
void check_ended(Rig& rig, ExitReason reason, int code) {
  REQUIRE(rig.machine().ended());
  CHECK(rig.machine().verdict().reason == reason);
  CHECK(exit_code(rig.machine().verdict()) == code);
  const auto exits = rig.told<event::Exit>();
  REQUIRE(exits.size() == 1);
  CHECK(exits[0] == event::Exit{code, reason});
}

TEST_CASE("an agent that exits by itself decides by code, signal and what was waited for") {
  struct Row {
    Until until;
    bool said;
    int code, signal;
    ExitReason reason;
    int exit;
  };
  const Row row = GENERATE(Row{Until::kExit, false, 0, 0, ExitReason::kExit, 0},
                           Row{Until::kExit, false, 3, 0, ExitReason::kAgentFailed, 1},
                           Row{Until::kExit, false, 0, SIGKILL, ExitReason::kAgentSignal, 137},
                           Row{Until::kExit, false, 0, SIGSEGV, ExitReason::kAgentSignal, 139},
                           Row{Until::kComplete, true, 0, 0, ExitReason::kComplete, 0},
                           Row{Until::kComplete, true, 1, 0, ExitReason::kAgentFailed, 1},
                           Row{Until::kComplete, false, 0, 0, ExitReason::kExitedEarly, 1},
                           Row{Until::kComplete, false, 9, 0, ExitReason::kAgentFailed, 1},
                           Row{Until::kIdle, false, 0, 0, ExitReason::kExitedEarly, 1},
                           Row{Until::kIdle, false, 0, SIGTERM, ExitReason::kAgentSignal, 143});
  Rig rig(plan_of(row.until));
  rig.accept_message();
  if (row.said) rig.says("LOOP_COMPLETE");
  rig.exits(row.code, row.signal);
  check_ended(rig, row.reason, row.exit);
  CHECK(rig.machine().verdict().agent_signal == row.signal);
  CHECK(rig.machine().verdict().agent_code ==
        (row.signal == 0 ? std::optional<int>(row.code) : std::nullopt));
}

TEST_CASE("the keyword said, then idle: complete, and the agent is asked to quit") {
  Rig rig(plan_of(Until::kComplete));
  rig.turn({"All is done.", "LOOP_COMPLETE"});
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
  rig.exits(0);
  check_ended(rig, ExitReason::kComplete, 0);
  CHECK(rig.machine().turns() == 1);
}

TEST_CASE("how the agent ends after the verdict does not change it") {
  Rig rig(plan_of(Until::kComplete));
  rig.turn({"LOOP_COMPLETE"});
  rig.exits(0, SIGKILL);
  check_ended(rig, ExitReason::kComplete, 0);
}

TEST_CASE("words that cannot be written fail a run that was about to end well") {
  Rig rig(plan_of(Until::kComplete));
  rig.turn({"All is done.", "LOOP_COMPLETE"});
  rig.machine().on_failure("cannot write standard output");
  rig.machine().on_failure("and another");
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
  rig.exits(0);
  check_ended(rig, ExitReason::kInternal, 125);
  CHECK(rig.machine().verdict().detail == "cannot write standard output");
}

TEST_CASE("idle after a turn ends a run that waits for idle") {
  Rig rig(plan_of(Until::kIdle));
  rig.turn({"Here is the answer."});
  rig.exits(0);
  check_ended(rig, ExitReason::kIdle, 0);
}

TEST_CASE("idle ends no run that waits for the exit") {
  Rig rig(plan_of(Until::kExit));
  rig.turn({"LOOP_COMPLETE"});
  rig.run_to(rig.now() + 3'600'000);
  CHECK(rig.stops().empty());
  rig.exits(0);
  check_ended(rig, ExitReason::kExit, 0);
}

TEST_CASE("a turn that ends in an error decides by its cause") {
  struct Row {
    Cause cause;
    ExitReason reason;
    int exit;
  };
  const Row row = GENERATE(Row{Cause::kAuth, ExitReason::kAgentError, 1},
                           Row{Cause::kApi, ExitReason::kAgentError, 1},
                           Row{Cause::kModel, ExitReason::kAgentError, 1},
                           Row{Cause::kContext, ExitReason::kAgentError, 1},
                           Row{Cause::kRateLimit, ExitReason::kRetryLater, 75},
                           Row{Cause::kOverloaded, ExitReason::kRetryLater, 75});
  const Until until = GENERATE(Until::kComplete, Until::kIdle, Until::kExit);
  Rig rig(plan_of(until));
  rig.accept_message();
  rig.status(AgentStatus::kError, row.cause);
  if (row.reason == ExitReason::kRetryLater) rig.limit_ends(std::nullopt);
  rig.exits(0);
  check_ended(rig, row.reason, row.exit);
  CHECK(rig.machine().verdict().detail ==
        "the turn ended in an error: " + std::string(event::name(row.cause)));
}

TEST_CASE("a dialog that stands for a second ends the run with its text") {
  Rig rig(plan_of(Until::kComplete));
  rig.draw("Do you trust this folder?\r\n\r\n❯ 1. Yes\r\n  2. No\r\n");
  rig.run_to(2'000);
  rig.status(AgentStatus::kWaiting, Cause::kTrust);
  rig.show(dialog());
  rig.run_to(2'999);
  CHECK(rig.stops().empty());
  rig.run_to(3'000);
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kTerminate});
  const auto dialogs = rig.told<event::Dialog>();
  REQUIRE(dialogs.size() == 1);
  CHECK(dialogs[0].cause == Cause::kTrust);
  CHECK(dialogs[0].title == "Do you trust this folder?");
  CHECK(dialogs[0].options == std::vector<std::string>{"Yes", "No"});
  CHECK(dialogs[0].answer.empty());
  rig.exits(0, SIGTERM);
  check_ended(rig, ExitReason::kNeedsHuman, 10);
  CHECK(rig.machine().verdict().detail.starts_with("Do you trust this folder?\n"));
  CHECK(rig.typed().empty());
}

TEST_CASE("a dialog that flashes by, or turns into another, is given its second") {
  Rig rig(plan_of(Until::kComplete));
  rig.status(AgentStatus::kWaiting, Cause::kTrust);
  rig.show(dialog());
  rig.run_to(900);
  rig.status(AgentStatus::kWaiting, Cause::kLogin);
  rig.run_to(1'800);
  CHECK(rig.stops().empty());
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.run_to(2'000);
  CHECK(rig.stops().empty());
  CHECK(rig.told<event::Dialog>().empty());
}

TEST_CASE("a program of which only the exit is known stands at no dialog") {
  adapters::Manifest command;
  command.idle_known = false;
  Rig rig(plan_of(Until::kExit, ""), command);
  rig.status(AgentStatus::kWaiting, Cause::kQuestion);
  rig.run_to(60'000);
  CHECK(rig.stops().empty());
}

TEST_CASE("the timeout ends the run whatever the agent does") {
  RunPlan plan = plan_of(Until::kComplete);
  plan.timeout_ms = 5'000;
  Rig rig(plan);
  SECTION("while it starts") {}
  SECTION("while it works") { rig.accept_message(); }
  rig.run_to(4'999);
  CHECK(rig.stops().empty());
  rig.run_to(5'000);
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kTerminate});
  CHECK(rig.machine().next_deadline() == kNever);
  rig.exits(0, SIGTERM);
  check_ended(rig, ExitReason::kTimeout, 124);
  CHECK(rig.machine().verdict().detail == "--timeout 5s passed");
}

TEST_CASE("a time limit is named as it was given") {
  RunPlan plan = plan_of(Until::kComplete);
  plan.timeout_ms = 1;
  Rig rig(plan);
  rig.run_to(1);
  rig.exits(0, SIGTERM);
  CHECK(rig.machine().verdict().detail == "--timeout 1ms passed");
}

TEST_CASE("a signal stops the agent, a second one kills it") {
  struct Row {
    int signum;
    StopAgent::Manner manner;
    ExitReason reason;
    int exit;
  };
  const Row row =
      GENERATE(Row{SIGINT, StopAgent::Manner::kPolitely, ExitReason::kInterrupted, 130},
               Row{SIGTERM, StopAgent::Manner::kTerminate, ExitReason::kTerminated, 143});
  Rig rig(plan_of(Until::kComplete));
  rig.accept_message();
  rig.signal(row.signum);
  CHECK(rig.stops() == std::vector{row.manner});
  rig.signal(row.signum);
  CHECK(rig.stops() == std::vector{row.manner, StopAgent::Manner::kNow});
  rig.exits(0, SIGKILL);
  check_ended(rig, row.reason, row.exit);
}

TEST_CASE("no quit keys are typed into a dialog") {
  Rig rig(plan_of(Until::kComplete));
  rig.show(dialog());
  rig.status(AgentStatus::kWaiting, Cause::kPermission);
  rig.signal(SIGINT);
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kTerminate});
}

TEST_CASE("an error is believed before the keyword") {
  Rig rig(plan_of(Until::kComplete));
  rig.accept_message();
  rig.says("LOOP_COMPLETE");
  SECTION("of the turn") {
    rig.status(AgentStatus::kError, Cause::kApi);
    rig.show(at_prompt());
    rig.exits(0);
    check_ended(rig, ExitReason::kAgentError, 1);
  }
  SECTION("a limit, too") {
    rig.status(AgentStatus::kError, Cause::kRateLimit);
    rig.show(at_prompt());
    REQUIRE(rig.limits() == 1);
    CHECK(rig.machine().pending() == 1);
    rig.limit_ends(LimitReset{30, LimitReset::Kind::kDuration});
    rig.exits(0);
    check_ended(rig, ExitReason::kRetryLater, 75);
    CHECK(rig.machine().verdict().retry_after_s == 30);
  }
}

TEST_CASE("orch's own failure ends the run as internal") {
  Rig rig(plan_of(Until::kComplete));
  rig.accept_message();
  rig.fails("write events.jsonl: No space left on device");
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kTerminate});
  rig.exits(0, SIGTERM);
  check_ended(rig, ExitReason::kInternal, 125);
  CHECK(rig.machine().verdict().detail == "write events.jsonl: No space left on device");
}

TEST_CASE("a message that does not get in ends the run") {
  SECTION("no prompt") {
    Rig rig(plan_of(Until::kComplete));
    rig.run_to(15'000);
    rig.exits(0, SIGTERM);
    check_ended(rig, ExitReason::kStuck, 124);
    CHECK(rig.machine().verdict().detail ==
          "message m1: timeout: Prompt detection timeout (15000ms)");
  }
  SECTION("a draft") {
    Rig rig(plan_of(Until::kComplete));
    rig.show(at_prompt("wait"));
    rig.exits(0, SIGTERM);
    check_ended(rig, ExitReason::kNeedsHuman, 10);
  }
  SECTION("what would be a command is led in; what then stands in the box is not it") {
    adapters::Manifest manifest;
    manifest.input.command_start = "/";
    Rig rig(plan_of(Until::kComplete, "/quit"), manifest);
    rig.show(at_prompt());
    rig.run_to(1'000);
    CHECK(rig.typed() == std::vector{bracketed("Please do what follows.\n/quit")});
    rig.show(at_prompt("/quit"));  // not all of what was typed
    rig.run_to(10'000);
    rig.exits(0);
    check_ended(rig, ExitReason::kStuck, 124);
  }
  SECTION("lost") {
    Rig rig(plan_of(Until::kComplete));
    rig.show(at_prompt());
    rig.run_to(10'000);
    rig.exits(0);
    check_ended(rig, ExitReason::kStuck, 124);
    CHECK(rig.typed().size() == 1);
  }
}

TEST_CASE("the timeout holds while the agent is being stopped") {
  RunPlan plan = plan_of(Until::kIdle);
  plan.timeout_ms = 20'000;
  Rig rig(plan);
  rig.turn({"done"});
  REQUIRE(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
  rig.run_to(19'999);
  CHECK(rig.stops().size() == 1);
  rig.run_to(20'000);
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely, StopAgent::Manner::kNow});
  rig.exits(0);
  CHECK(rig.machine().verdict().reason == event::ExitReason::kIdle);
}

}  // namespace
}  // namespace orch::run
