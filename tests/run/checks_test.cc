// Gates and changes: what a run does when its agent says that it is done.
#include <catch2/catch.hpp>
#include <csignal>

#include "machine_rig.h"

namespace orch::run {
namespace {

using event::AgentStatus;
using event::ExitReason;

RunPlan gated(Until until = Until::kComplete, int fix_turns = 0) {
  RunPlan plan = plan_of(until);
  plan.gates.commands = {"make", "make test"};
  plan.gates.timeout_ms = 60'000;
  plan.gates.fix_turns = fix_turns;
  return plan;
}

RunPlan changing(Until until = Until::kComplete) {
  RunPlan plan = plan_of(until);
  plan.require_changes = true;
  return plan;
}

Changes changed_files(int files) {
  Changes changes;
  changes.files = files;
  return changes;
}

void done(Rig& rig) { rig.turn({"All is done.", "LOOP_COMPLETE"}); }

// The text of the last message that the run typed.
std::string last_typed(const Rig& rig) {
  std::string text;
  for (const std::string& bytes : rig.typed()) {
    if (bytes.size() > 20) text = bytes;
  }
  return text;
}

void check_exited(Rig& rig, ExitReason reason, int code) {
  rig.exits(0);
  REQUIRE(rig.machine().ended());
  CHECK(rig.machine().verdict().reason == reason);
  CHECK(exit_code(rig.machine().verdict()) == code);
}

TEST_CASE("a gate that orch could not run is orch's failure, and no agent is sent after it") {
  Rig rig(gated(Until::kComplete, 3));
  done(rig);
  rig.gate_cannot_run("open a pipe: Too many open files");
  CHECK(last_typed(rig).find("does not pass") == std::string::npos);
  CHECK(rig.gates().size() == 1);
  check_exited(rig, ExitReason::kInternal, 125);
  CHECK(rig.machine().verdict().detail ==
        "gate 1 could not be run: open a pipe: Too many open files");
}

TEST_CASE("gates run one after the other once the agent says that it is done") {
  const Until until = GENERATE(Until::kComplete, Until::kIdle);
  Rig rig(gated(until));
  done(rig);
  REQUIRE(rig.gates().size() == 1);
  CHECK(rig.gates()[0].command == "make");
  CHECK(rig.gates()[0].timeout_ms == 60'000);
  CHECK(rig.stops().empty());
  rig.gate_ends(0);
  REQUIRE(rig.gates().size() == 2);
  CHECK(rig.gates()[1].n == 2);
  CHECK(rig.stops().empty());
  rig.gate_ends(0);
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
  CHECK(rig.told<event::Gate>().size() == 4);  // two that begin and two that end
  check_exited(rig, until == Until::kIdle ? ExitReason::kIdle : ExitReason::kComplete, 0);
}

TEST_CASE("a turn that is not the last one runs no gate") {
  Rig rig(gated());
  rig.turn({"Part of it is done."});
  CHECK(rig.gates().empty());
}

TEST_CASE("the first gate that fails decides, and none is run after it") {
  Rig rig(gated());
  done(rig);
  SECTION("by its code") {
    rig.gate_ends(2, "boom");
    CHECK(rig.machine().verdict().detail == "make exited with 2");
  }
  SECTION("by its time, whatever its code") {
    rig.gate_ends(0, "", true);
    CHECK(rig.machine().verdict().detail == "make was killed after 1s");
  }
  CHECK(rig.gates().size() == 1);
  check_exited(rig, ExitReason::kGateFailed, 20);
}

TEST_CASE("a gate that failed goes back to the agent while there are turns for that") {
  Rig rig(gated(Until::kComplete, 1));
  done(rig);
  rig.gate_ends(2, "main.cc:3: error\nmake: *** [all] Error 1");
  CHECK(rig.stops().empty());
  rig.accept_message();
  const std::string message = last_typed(rig);
  CHECK(message.find("make exited with 2") != std::string::npos);
  CHECK(message.find("    main.cc:3: error") != std::string::npos);
  CHECK(message.find("say LOOP_COMPLETE") != std::string::npos);
  CHECK(rig.gates().size() == 1);
  rig.says("LOOP_COMPLETE");
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  REQUIRE(rig.gates().size() == 2);  // starting with the first one again
  CHECK(rig.gates()[1].command == "make");
  CHECK(rig.gates()[1].n == 2);
  SECTION("and passes") {
    rig.gate_ends(0), rig.gate_ends(0);
    check_exited(rig, ExitReason::kComplete, 0);
  }
  SECTION("and fails again") {
    rig.gate_ends(2);
    check_exited(rig, ExitReason::kGateFailed, 20);
    CHECK(rig.machine().gates().size() == 2);
  }
}

TEST_CASE("no fix turn is one more than --max-turns") {
  RunPlan plan = gated(Until::kComplete, 5);
  plan.max_turns = 1;
  Rig rig(plan);
  done(rig);
  rig.gate_ends(1);
  check_exited(rig, ExitReason::kGateFailed, 20);
}

TEST_CASE("what ends a run ends it while a gate runs, too, and the gate") {
  RunPlan plan = gated();
  plan.timeout_ms = 3'600'000;
  Rig rig(plan);
  done(rig);
  ExitReason reason = ExitReason::kInterrupted;
  SECTION("Ctrl-C") { rig.signal(SIGINT); }
  SECTION("its time limit") {
    rig.run_to(3'600'000);
    reason = ExitReason::kTimeout;
  }
  SECTION("orch's own failure") {
    rig.fails("disk full");
    reason = ExitReason::kInternal;
  }
  CHECK(rig.checks_ended() == 1);
  REQUIRE(rig.stops().size() == 1);
  rig.gate_ends(0);  // it is too late
  CHECK(rig.gates().size() == 1);
  check_exited(rig, reason, event::exit_code(reason));
}

TEST_CASE("an agent that leaves on its own does not escape its gates") {
  const Until until = GENERATE(Until::kComplete, Until::kExit);
  Rig rig(gated(until));
  rig.accept_message();
  rig.says("LOOP_COMPLETE");
  rig.exits(0);
  CHECK_FALSE(rig.machine().ended());
  REQUIRE(rig.gates().size() == 1);
  SECTION("which pass") {
    rig.gate_ends(0), rig.gate_ends(0);
    REQUIRE(rig.machine().ended());
    CHECK(exit_code(rig.machine().verdict()) == 0);
  }
  SECTION("which fail: nobody is there to mend it") {
    rig.gate_ends(1);
    REQUIRE(rig.machine().ended());
    CHECK(rig.machine().verdict().reason == ExitReason::kGateFailed);
  }
  SECTION("which are cut off") {
    rig.signal(SIGTERM);
    REQUIRE(rig.machine().ended());
    CHECK(rig.checks_ended() == 1);
    CHECK(rig.machine().verdict().reason == ExitReason::kTerminated);
  }
  CHECK(rig.stops().empty());  // the agent has ended already
  CHECK(rig.machine().verdict().agent_code == 0);
  CHECK(rig.told<event::Exit>().size() == 1);
}

TEST_CASE("an agent that leaves while its gates run is judged by both") {
  Rig rig(gated());
  done(rig);
  SECTION("well") {
    rig.exits(0);
    CHECK_FALSE(rig.machine().ended());
    rig.gate_ends(0), rig.gate_ends(0);
    CHECK(rig.machine().verdict().reason == ExitReason::kComplete);
  }
  SECTION("badly") {
    rig.exits(3);
    CHECK(rig.machine().verdict().reason == ExitReason::kAgentFailed);
    CHECK(rig.checks_ended() == 1);
  }
  CHECK(rig.machine().ended());
}

TEST_CASE("an agent that failed is not asked for more") {
  Rig rig(gated(Until::kExit));
  rig.accept_message();
  rig.exits(1);
  CHECK(rig.gates().empty());
  CHECK(rig.machine().verdict().reason == ExitReason::kAgentFailed);
}

TEST_CASE("a message that comes while a gate runs has its turn before the verdict") {
  Rig rig(gated());
  done(rig);
  rig.sends({.text = "one more thing"});
  rig.gate_ends(0), rig.gate_ends(0);
  CHECK(rig.stops().empty());
  rig.accept_message();
  CHECK(rig.machine().turns() == 2);
  REQUIRE(rig.reports().size() == 1);
  CHECK(rig.reports()[0].result == DeliveryResult::kAccepted);
}

TEST_CASE("while its work is checked, and while it is ended, a run is not at rest") {
  Rig rig(gated());
  done(rig);
  CHECK(rig.machine().pending() == 1);
  rig.gate_ends(1);
  CHECK(rig.stops().size() == 1);
  CHECK(rig.machine().pending() == 1);
  check_exited(rig, ExitReason::kGateFailed, 20);
}

TEST_CASE("what somebody types at an agent whose gates run has its turn") {
  Rig rig(gated());
  done(rig);
  rig.types("hi\r");
  rig.says("hi", agent::Speaker::kUser);
  rig.status(AgentStatus::kWorking);
  rig.show(working());
  const bool in_time = GENERATE(true, false);
  const auto finish_turn = [&rig] {
    rig.says("Hello.");
    rig.status(AgentStatus::kIdle);
    rig.show(at_prompt());
  };
  SECTION("at work when they end, or at its prompt again") {
    if (in_time) finish_turn();
    rig.gate_ends(0), rig.gate_ends(0);
    if (!in_time) finish_turn();
    CHECK(rig.stops().empty());
    rig.run_to(rig.now() + 11'000);  // by then the machine has seen what the person typed last
    const std::string again = last_typed(rig);  // the agent must say again that it is done
    REQUIRE(again.find("Continue") != std::string::npos);
    rig.accept_message_in_box(again.substr(6, again.size() - 12));
    rig.says("LOOP_COMPLETE");
    rig.status(AgentStatus::kIdle);
    rig.show(at_prompt());
    REQUIRE(rig.gates().size() == 3);
    rig.gate_ends(0), rig.gate_ends(0);
    check_exited(rig, ExitReason::kComplete, 0);
  }
}

TEST_CASE("a reset ends the gates and begins anew") {
  Rig rig(gated());
  done(rig);
  REQUIRE(rig.resets().ok());
  CHECK(rig.checks_ended() == 1);
  rig.gate_ends(0);
  CHECK(rig.gates().size() == 1);
}

TEST_CASE("changes are looked for before the gates, which may make some") {
  RunPlan plan = gated();
  plan.require_changes = true;
  Rig rig(plan);
  done(rig);
  CHECK(rig.looks() == 1);
  CHECK(rig.gates().empty());
  rig.changes_are({});
  REQUIRE(rig.gates().size() == 1);
  SECTION("a gate that fails counts first") {
    rig.gate_ends(1);
    check_exited(rig, ExitReason::kGateFailed, 20);
  }
  SECTION("then that nothing changed") {
    rig.gate_ends(0), rig.gate_ends(0);
    check_exited(rig, ExitReason::kNoChanges, 21);
  }
}

TEST_CASE("files or another commit are changes") {
  Rig rig(changing());
  done(rig);
  Changes changes;
  SECTION("files") { changes = changed_files(1); }
  SECTION("another commit") { changes.head_moved = true; }
  SECTION("another commit, where the files cannot be looked at") {
    changes.head_moved = true;
    changes.unknown = "no snapshot";
  }
  rig.changes_are(changes);
  check_exited(rig, ExitReason::kComplete, 0);
}

TEST_CASE("what cannot be told is not called no changes") {
  Rig rig(changing());
  done(rig);
  Changes changes;
  changes.unknown = "no snapshot";
  rig.changes_are(changes);
  check_exited(rig, ExitReason::kInternal, 125);
  CHECK(rig.machine().verdict().detail.ends_with("no snapshot"));
}

TEST_CASE("a verdict is the first of what holds") {
  Facts facts;
  facts.keyword = "DONE";
  facts.require_changes = true;
  facts.changes = Changes();
  facts.gates.resize(2);
  facts.gates.back().command = "false";
  facts.gates.back().code = 1;
  facts.status = AgentStatus::kError;
  facts.left = Facts::Left{0, SIGSEGV};
  facts.cut = Facts::Cut{ExitReason::kTimeout, "late"};
  CHECK(judge(facts).reason == ExitReason::kTimeout);
  CHECK(judge(facts).detail == "late");
  facts.cut.reset();
  CHECK(judge(facts).reason == ExitReason::kAgentSignal);
  CHECK(exit_code(judge(facts)) == 128 + SIGSEGV);
  facts.left = Facts::Left{4, 0};
  CHECK(judge(facts).reason == ExitReason::kAgentFailed);
  facts.left = Facts::Left{0, 0};
  CHECK(judge(facts).reason == ExitReason::kExitedEarly);
  facts.left.reset();
  facts.turn_over = true;
  CHECK(judge(facts).reason == ExitReason::kAgentError);
  facts.status = AgentStatus::kIdle;
  CHECK_FALSE(is_done(facts));
  facts.said_keyword = true;
  CHECK(is_done(facts));
  CHECK(judge(facts).reason == ExitReason::kGateFailed);
  CHECK(judge(facts).detail == "false exited with 1");
  facts.gates[1].code = 0;
  CHECK(judge(facts).reason == ExitReason::kNoChanges);
  facts.changes->files = 1;
  CHECK(judge(facts).reason == ExitReason::kComplete);
}

TEST_CASE("a gate's command is told in one line, cut, and without control characters") {
  GateEnd gate;
  gate.command = "echo '\x1b[2J\n" + std::string(1'000, 'x') + "'";
  gate.code = 1;
  const std::string line = describe(gate);
  CHECK(line.find('\x1b') == std::string::npos);
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.size() < 300);
}

}  // namespace
}  // namespace orch::run
