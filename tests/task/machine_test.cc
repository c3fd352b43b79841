#include <catch2/catch.hpp>

#include "task/task_machine.h"
#include "task_rig.h"

using namespace orch::task;

namespace {

void check_end(const Rig& rig, TaskState state, EndReason reason) {
  REQUIRE(rig.machine.end());
  CHECK(rig.machine.state() == state);
  CHECK(name(rig.machine.end()->reason) == name(reason));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a task is planned, worked on, tested, assessed, validated and complete") {
  Rig rig;
  CHECK(rig.machine.state() == TaskState::kPending);
  rig.tell(Begun{{"main", "", {}}});
  CHECK(rig.machine.state() == TaskState::kPlanning);
  CHECK(rig.last<Ask>().kind == QuestionKind::kPlanTask);
  rig.answer(plan_answer());
  CHECK(rig.machine.state() == TaskState::kRunning);
  CHECK(rig.last<Ask>().kind == QuestionKind::kNextAction);
  rig.answer(work_answer());
  CHECK(rig.last<Work>().call.prompt == "Mend the test.");
  CHECK(rig.last<Work>().timeout_ms == 600'000);
  rig.worked();
  rig.tested(0);
  CHECK(rig.last<Ask>().kind == QuestionKind::kCompletionAssessment);
  rig.answer(assessment_answer());
  rig.answer(done_answer());
  CHECK(rig.machine.state() == TaskState::kValidating);
  rig.tested(0);
  check_end(rig, TaskState::kComplete, EndReason::kComplete);
  CHECK(exit_code(rig.machine.end()->reason) == 0);
  CHECK(rig.machine.facts().tests.size() == 2);
  CHECK(rig.machine.facts().usage.in == 100);
}

TEST_CASE("mark_complete is refused while the tests fail or a criterion is unmet") {
  Rig rig;
  rig.plan();
  SECTION("nothing was assessed yet") {
    rig.answer(done_answer());
    CHECK(has(rig.last<Ask>().text.document, "ac-1, ac-2"));
  }
  SECTION("a criterion failed") {
    rig.loop(0, "passed", "failed");
    rig.answer(done_answer());
    CHECK(has(rig.last<Ask>().text.document, "in an assessment: ac-2"));
  }
  SECTION("the tests failed") {
    rig.loop(2);
    rig.answer(done_answer());
    CHECK(has(rig.last<Ask>().text.document, "refused_because: \"the tests fail\""));
  }
  SECTION("the tests fail in the end") {
    rig.loop(0);
    rig.answer(done_answer());
    rig.tested(1);
    CHECK(has(rig.last<Ask>().text.document, "refused_because: \"the tests fail\""));
  }
  CHECK(rig.machine.state() == TaskState::kRunning);
  CHECK(rig.last<Ask>().kind == QuestionKind::kNextAction);
  CHECK_FALSE(rig.machine.end());
}

TEST_CASE("a worker call holds what the task file allows, and nothing else") {
  struct Row {
    const char* allow;
    const char* fields;
    const char* refused;  // a part of the reason; "": it is done
  };
  const std::vector<Row> rows{
      {"", "    model: small\n    reasoning_effort: high\n", ""},
      {"", "    cli_path: /tmp/evil\n", "worker_call.cli_path: the task file does not allow"},
      {"", "    flags: [--yolo]\n", "worker_call.flags"},
      {"", "    env: {A: b}\n", "worker_call.env"},
      {"", "    tool_specific: {a: b}\n", "worker_call.tool_specific"},
      {"", "    workdir: src\n", "worker_call.workdir"},
      {"", "    sudo: true\n", "worker_call.sudo: there is no such field"},
      {"[]", "    model: small\n", "worker_call.model"},
      {"[workdir]", "    workdir: src/a\n", ""},
      {"[workdir]", "    workdir: ../x\n", "must be a folder of the repository"},
      {"[workdir]", "    workdir: a/../../x\n", "must be a folder of the repository"},
      {"[workdir]", "    workdir: /etc\n", "must be a folder of the repository"},
      {"[flags]", "    flags: [--fast]\n", ""},
      {"[flags]", "    flags: [\"a\\0b\"]\n", "NUL"},
      {"[env]", "    env: {A: b}\n", ""},
      {"[env]", "    env: {A: \"env:HOME\"}\n", "would take a variable"},
      {"[env]", "    env: {LD_PRELOAD: x}\n", "obeys LD_PRELOAD"},
      {"[env]", "    env: {PATH: /tmp/evil}\n", "only the task file may set PATH"},
      {"[env]", "    env: {XDG_CONFIG_HOME: x}\n", "only the task file may set XDG_CONFIG_HOME"},
      {"[env]", "    env: {HOME: x}\n", "only the task file may set HOME"},
      {"[env]", "    env: {GIT_DIR: x}\n", "only the task file may set GIT_DIR"},
      {"[env]", "    env: {\"A=B\": x}\n", "not a name of a variable"},
      {"[model]", "    model: --yolo\n", "model is not one printable word"},
      {"[model]", "    model: \"a\\nb\"\n", "model is not one printable word"},
  };
  for (const Row& row : rows) {
    INFO(row.fields << " with allow " << row.allow);
    std::string text = spec_text();
    if (row.allow[0] != '\0') {
      text.replace(text.find("max_loops"), 0, "allow: " + std::string(row.allow) + ", ");
    }
    Rig rig(text);
    rig.plan();
    rig.answer(work_answer(row.fields));
    const std::string why = rig.machine.facts().decisions.back().refused;
    if (row.refused[0] == '\0') {
      CHECK(why.empty());
      rig.last<Work>();
    } else {
      CHECK(has(why, row.refused));
      CHECK(has(rig.last<Ask>().text.document, "refused_because"));
    }
  }
}

TEST_CASE("three refusals in a row end the task, fewer do not") {
  Rig rig;
  rig.plan();
  rig.answer(done_answer());
  rig.answer(done_answer());
  rig.loop(0, "failed");
  rig.answer(done_answer());
  rig.answer(work_answer("    cli_path: x\n"));
  CHECK_FALSE(rig.machine.end());
  rig.answer(done_answer());
  check_end(rig, TaskState::kFailed, EndReason::kRefused);
  CHECK(exit_code(rig.machine.end()->reason) == 1);
}

TEST_CASE("an answer that cannot be read is asked for once more, with what was wrong") {
  Rig rig;
  rig.tell(Begun{});
  rig.answer("I would rather not.");
  CHECK(rig.last<Ask>().kind == QuestionKind::kPlanTask);
  CHECK(rig.last<Ask>().n == 2);
  CHECK(has(rig.last<Ask>().text.document, "there is no YAML document"));
  CHECK(has(rig.last<Ask>().text.document, "I would rather not."));
  SECTION("the second one can") {
    rig.answer("Sorry!\n```yaml\n" + plan_answer() + "```\nDone.");
    CHECK(rig.machine.state() == TaskState::kRunning);
    CHECK_FALSE(has(rig.last<Ask>().text.document, "your_last_answer"));
    // This is the first answer to another question, which has its own second chance.
    rig.answer("nonsense");
    CHECK_FALSE(rig.machine.end());
  }
  SECTION("nor the second one") {
    rig.answer(std::string(2 << 20, 'x'));
    check_end(rig, TaskState::kFailed, EndReason::kMetaFailed);
    CHECK(has(rig.machine.end()->detail, "it is longer than"));
  }
}

TEST_CASE("what ends a task that is not complete") {
  Rig rig;
  rig.plan();
  SECTION("the meta-agent gives it up") {
    rig.answer(abort_answer());
    check_end(rig, TaskState::kFailed, EndReason::kGivenUp);
    CHECK(rig.machine.end()->detail == "It cannot be done.");
  }
  SECTION("the meta-agent does not answer") {
    rig.tell(AskFailed{rig.last<Ask>().n, "post https://x: connection refused"});
    check_end(rig, TaskState::kFailed, EndReason::kMetaFailed);
    CHECK(rig.machine.end()->detail == "post https://x: connection refused");
  }
  SECTION("the worker cannot be run at all") {
    rig.answer(work_answer());
    WorkerEnd end = good_work();
    end.code = 127;
    end.detail = "codex was not found";
    rig.worked(end);
    check_end(rig, TaskState::kFailed, EndReason::kInternal);
    CHECK(exit_code(rig.machine.end()->reason) == 125);
  }
  SECTION("orch fails") {
    rig.tell(Failed{"disk full"});
    check_end(rig, TaskState::kFailed, EndReason::kInternal);
  }
  SECTION("a late answer changes nothing") {
    rig.tell(CancelAsked{CancelAsked::By::kTerminate});
    rig.answer(done_answer());
    check_end(rig, TaskState::kCancelled, EndReason::kTerminated);
    rig.tell(Answered{99, done_answer(), {}});
    check_end(rig, TaskState::kCancelled, EndReason::kTerminated);
    CHECK(exit_code(rig.machine.end()->reason) == 143);
  }
}

TEST_CASE("a worker that fails is a fact for the next decision, and counts") {
  Rig rig;
  rig.plan();
  for (int i = 0; i < 3; ++i) {
    rig.answer(work_answer());
    WorkerEnd end = good_work();
    end.code = i == 0 ? 1 : 124;
    end.reason = i == 0 ? "agent_failed" : "timeout";
    rig.worked(end);
    rig.tested(1);
    rig.answer(assessment_answer("failed", "unknown"));
  }
  CHECK(has(rig.last<Ask>().text.document, "ended: timeout"));
  CHECK(has(rig.last<Ask>().text.document, "worker_runs: 0"));
  rig.answer(work_answer());
  check_end(rig, TaskState::kFailed, EndReason::kLoops);
  CHECK(exit_code(rig.machine.end()->reason) == 124);
}

TEST_CASE("budgets are looked at before each step") {
  SECTION("time") {
    Rig rig(spec_text("budget: {time: 60s}\n"));
    rig.plan();
    rig.answer(work_answer());
    CHECK(rig.last<Work>().timeout_ms == 58'000);
    rig.tell(Worked{1, good_work()}, 58'000);
    check_end(rig, TaskState::kFailed, EndReason::kTimeout);
  }
  SECTION("time that a meta-agent hangs") {
    Rig rig(spec_text("budget: {time: 60s}\n"));
    rig.plan();
    CHECK(rig.last<Ask>().timeout_ms == 59'000);
    rig.tell(AskFailed{2, "no answer"}, 59'000);
    check_end(rig, TaskState::kFailed, EndReason::kTimeout);
  }
  SECTION("tokens, of meta-agent and worker") {
    Rig rig(spec_text("budget: {tokens: 150}\n"));
    rig.plan();
    rig.answer(work_answer(), {.in = 30, .out = 9, .cached = 0, .cost_usd = {}, .source = ""});
    rig.worked();
    rig.tested(0);
    CHECK(rig.last<Ask>().kind == QuestionKind::kCompletionAssessment);
    rig.answer(assessment_answer(), {.in = 1, .out = 0, .cached = 0, .cost_usd = {}, .source = ""});
    check_end(rig, TaskState::kFailed, EndReason::kTokens);
  }
  SECTION("cost") {
    Rig rig(spec_text("budget: {cost: 0.5}\n"));
    rig.plan();
    rig.loop(1, "failed");
    CHECK_FALSE(rig.machine.end());
    rig.answer(work_answer());
    rig.worked();
    rig.tested(1);
    check_end(rig, TaskState::kFailed, EndReason::kCost);
  }
}

TEST_CASE("a task that is cancelled ends its step first, and can be gone on with") {
  Rig rig;
  rig.plan();
  rig.answer(work_answer());
  rig.tell(CancelAsked{CancelAsked::By::kInterrupt});
  rig.last<EndStep>();
  CHECK_FALSE(rig.machine.end());
  WorkerEnd end = good_work();
  end.code = 143;
  end.reason = "terminated";
  rig.tell(Worked{1, end});
  check_end(rig, TaskState::kCancelled, EndReason::kInterrupted);
  rig.tell(Resumed{});
  CHECK(rig.machine.state() == TaskState::kRunning);
  rig.tested(0);  // of the work that was not looked at
  rig.answer(assessment_answer());
  rig.answer(done_answer());
  rig.tested(0);
  check_end(rig, TaskState::kComplete, EndReason::kComplete);
}

TEST_CASE("a task without a test command is complete when its criteria are met") {
  std::string text = spec_text();
  text.erase(text.find("test: make test\n"), 16);
  Rig rig(text);
  rig.plan();
  rig.answer(work_answer());
  rig.worked();
  CHECK(rig.last<Ask>().kind == QuestionKind::kCompletionAssessment);
  rig.answer(assessment_answer());
  rig.answer(done_answer());
  check_end(rig, TaskState::kComplete, EndReason::kComplete);
}

TEST_CASE("a limit of a provider is no loop, and ends a task that may go on when it is over") {
  Rig rig;
  rig.plan();
  rig.answer(work_answer());
  WorkerEnd end = good_work();
  end.code = 75;
  end.reason = "retry_later";
  SECTION("the worker's") { rig.worked(end); }
  SECTION("the meta-agent's") {
    rig.worked(end);
    check_end(rig, TaskState::kFailed, EndReason::kLimit);
    rig.tell(Resumed{});
    rig.tested(0);
    rig.tell(AskFailed{rig.open<Ask>().n, "the server says 429", true});
  }
  check_end(rig, TaskState::kFailed, EndReason::kLimit);
  CHECK(exit_code(rig.machine.end()->reason) == 75);
  CHECK(rig.machine.remaining(rig.now).loops == rig.spec.worker.max_loops);
  rig.tell(Resumed{});
  CHECK_FALSE(rig.machine.end());
  if (std::holds_alternative<RunTests>(*rig.machine.open_step())) rig.tested(0);
  rig.answer(assessment_answer());
  rig.answer(done_answer());
  rig.tested(0);
  check_end(rig, TaskState::kComplete, EndReason::kComplete);
}

TEST_CASE("tests that orch could not run say nothing of the work, and the task may go on") {
  Rig rig;
  rig.plan();
  rig.answer(work_answer());
  rig.worked();
  TestEnd end = test_end(2);
  end.trouble = "orch-t-t1 is running already";
  rig.tell(Tested{1, end});
  check_end(rig, TaskState::kFailed, EndReason::kInternal);
  CHECK(has(rig.machine.end()->detail, "the tests cannot be run: orch-t-t1"));
  rig.tell(Resumed{});
  rig.tested(0);
  rig.answer(assessment_answer());
  rig.answer(done_answer());
  rig.tested(0);
  check_end(rig, TaskState::kComplete, EndReason::kComplete);
}

TEST_CASE(
    "what failed for what may have passed goes on, where it stood; what was decided does not") {
  Rig rig;
  rig.plan();
  SECTION("a meta-agent that did not answer") {
    rig.tell(AskFailed{rig.open<Ask>().n, "no connection"});
    check_end(rig, TaskState::kFailed, EndReason::kMetaFailed);
    rig.tell(Resumed{});
    CHECK(rig.open<Ask>().kind == QuestionKind::kNextAction);
  }
  SECTION("orch's own failure while a worker ran") {
    rig.answer(work_answer());
    rig.tell(Failed{"the disk is full"});
    check_end(rig, TaskState::kFailed, EndReason::kInternal);
    rig.tell(Resumed{});
    REQUIRE(rig.machine.facts().runs.back().end);
    CHECK(rig.machine.facts().runs.back().end->reason == "interrupted");
    CHECK(rig.open<RunTests>().n == 1);
  }
  SECTION("given up by the meta-agent") {
    rig.answer(abort_answer());
    check_end(rig, TaskState::kFailed, EndReason::kGivenUp);
    CHECK_FALSE(rig.machine.can_go_on());
    rig.tell(Resumed{});
    check_end(rig, TaskState::kFailed, EndReason::kGivenUp);
  }
}
