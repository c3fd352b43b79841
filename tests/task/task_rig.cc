#include "task_rig.h"

#include <catch2/catch.hpp>

namespace orch::task {

std::string spec_text(const std::string& more) {
  return R"(id: fix-tests
title: Make the tests pass
prd: |
  Make the tests pass.
test: make test
runner:
  meta: {kind: scripted, script: [a]}
  worker: {kind: demo, max_loops: 3, timeout: 10m}
  sandbox: none
)" + more;
}

TaskSpec spec_of(const std::string& text) {
  auto spec = parse_task_spec(text, "task.yaml");
  if (!spec) FAIL(spec.error().text);
  return *spec;
}

std::string plan_answer() {
  return R"(type: plan_task
version: 1
payload:
  task_id: fix-tests
  acceptance_criteria:
    - id: ac-1
      description: The tests pass.
    - id: ac-2
      description: Nothing else is changed.
)";
}

std::string work_answer(const std::string& fields) {
  return "type: next_action\nversion: 1\npayload:\n  decision:\n    action: run_worker\n    "
         "reason: "
         "It is to be done.\n  worker_call:\n    prompt: Mend the test.\n" +
         fields;
}

std::string done_answer() {
  return "type: next_action\npayload: {decision: {action: mark_complete, reason: All is well.}}\n";
}

std::string abort_answer() {
  return "type: next_action\npayload: {decision: {action: abort, reason: It cannot be done.}}\n";
}

std::string assessment_answer(const std::string& first, const std::string& second) {
  const std::string all = first == "passed" && second == "passed" ? "true" : "false";
  return "type: completion_assessment\nversion: 1\npayload:\n  all_criteria_satisfied: " + all +
         "\n  by_criterion:\n    - {id: ac-1, status: " + first +
         ", comment: seen}\n    - {id: ac-2, status: " + second + "}\n  summary: Looked at it.\n";
}

WorkerEnd good_work() {
  WorkerEnd end;
  end.run = "20261123T200000-fix-tests-w1-0a1b";
  end.reason = "idle";
  end.ms = 1'000;
  end.words = "I mended it.";
  end.usage = {.in = 100, .out = 10, .cached = 0, .cost_usd = 0.25, .source = ""};
  end.files = 1;
  end.paths = {"a.cc"};
  return end;
}

TestEnd test_end(int code) {
  return {
      .run = "t", .code = code, .timed_out = false, .ms = 10, .output = "1 test\n", .trouble = ""};
}

Rig::Rig(const std::string& text) : spec(spec_of(text)), machine(spec, prd) {
  journal.push_back(to_json({0, "2026-11-23T20:00:00.000Z", Opened{spec.id, "/repo"}}));
}

void Rig::tell(const Event& event, TimeMs later) {
  now += later;
  journal.push_back(to_json({now, "2026-11-23T20:00:00.000Z", event}));
  const auto entry = parse_entry(journal.back());
  if (!entry) FAIL(entry.error().text);
  machine.on(now, std::get<Event>(entry->what));
  for (Command& command : machine.take_commands()) {
    if (!std::holds_alternative<EndStep>(command)) {
      journal.push_back(to_json({now, "2026-11-23T20:00:00.000Z", begun(command)}));
    }
    commands.push_back(std::move(command));
  }
}

void Rig::answer(const std::string& text, event::Usage usage) {
  tell(Answered{open<Ask>().n, text, std::move(usage)});
}
void Rig::worked(WorkerEnd end) { tell(Worked{open<Work>().n, std::move(end)}); }
void Rig::tested(int code) { tell(Tested{open<RunTests>().n, test_end(code)}); }

void Rig::plan() {
  tell(Begun{{"main", "0123abcd", {"src/", "Makefile"}}}, 0);
  answer(plan_answer());
}

void Rig::loop(int test_code, const std::string& first, const std::string& second) {
  answer(work_answer());
  worked();
  tested(test_code);
  answer(assessment_answer(first, second));
}

}  // namespace orch::task
