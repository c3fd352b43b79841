#include "task/meta_answer.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "cpu_time.h"
#include "task_rig.h"

using namespace orch::task;

namespace {

const std::vector<Criterion> kCriteria{{"ac-1", "one"}, {"ac-2", "two"}};

std::string plan_error(const std::string& answer) {
  const auto plan = read_plan(answer, "fix-tests");
  return plan ? "no error" : plan.error().text;
}
std::string action_error(const std::string& answer) {
  const auto next = read_next_action(answer);
  return next ? "no error" : next.error().text;
}
std::string assessment_error(const std::string& answer) {
  const auto assessment = read_assessment(answer, kCriteria);
  return assessment ? "no error" : assessment.error().text;
}

std::string indented(const std::string& text, const std::string& by) {
  std::string out = by;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += by;
  }
  return out;
}

}  // namespace

TEST_CASE("the one document in an answer is found, however it is wrapped") {
  const std::string bare = plan_answer();
  const std::vector<std::string> answers{
      bare,
      "\n\n" + bare + "\n",
      "---\n" + bare,
      "# the plan\n" + bare,
      "```yaml\n" + bare + "```\n",
      "```\n" + bare + "```",
      "~~~yaml\n" + bare + "~~~\nBye.",
      "Here it is:\n\n```yaml\n" + bare + "```\n\nI hope that helps: type a word.\n",
      "Here it is:\n\n" + bare + "\nLet me know.\n",
      "First some code:\n```cc\nint main() { return 0; }\n```\nand\n```yml\n" + bare + "```\n",
      "- Here:\n\n  ```yaml\n" + indented(bare, "  ") + "\n  ```\n",
      "```yaml\n" + bare,  // it is cut off
      R"({"type": "plan_task", "version": 1, "payload": {"acceptance_criteria": [)"
      R"({"id": "ac-1", "description": "d"}, {"id": "ac-2", "description": "d"}]}})",
      indented(bare, "    "),
      "type: plan_task\nversion: 1\npayload:\n    acceptance_criteria:\n    -   id: ac-1\n"
      "        description: d\n    -   id: ac-2\n        description: d\n",
  };
  for (const std::string& answer : answers) {
    INFO(answer);
    const auto plan = read_plan(answer, "fix-tests");
    if (!plan) FAIL(plan.error().text);
    REQUIRE(plan->criteria.size() == 2);
    CHECK(plan->criteria[1].id == "ac-2");
  }
  std::string crlf;
  for (const char c : "Hi.\n```yaml\n" + bare + "```\n")
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(read_plan(crlf, "fix-tests"));
}

TEST_CASE("fences inside of a prompt are a part of it") {
  const std::string fields =
      "  worker_call:\n    prompt: |\n      Write this:\n      ```yaml\n      type: next_action\n"
      "      ```\n      ```sh\n      $(touch x)\n      ```\n";
  const std::string head = "type: next_action\npayload:\n  decision: {action: run_worker}\n";
  for (const std::string& answer :
       {head + fields, "```yaml\n" + head + fields + "```\n", "So:\n" + head + fields + "Bye.\n"}) {
    const auto next = read_next_action(answer);
    if (!next) FAIL(next.error().text);
    CHECK(next->call.prompt ==
          "Write this:\n```yaml\ntype: next_action\n```\n```sh\n$(touch x)\n```\n");
  }
}

TEST_CASE("an answer that does not fit says what is wrong with it, and where") {
  CHECK(plan_error("") == "answer:1:1: there is no YAML document that begins with type:");
  CHECK(plan_error("I cannot do that.") ==
        "answer:1:1: there is no YAML document that begins with type:");
  CHECK(plan_error("type: plan_task\npayload:\n  acceptance_criteria:\n  - id: [ac")
            .starts_with("answer:"));
  CHECK(plan_error("Well.\n" + done_answer()) ==
        "answer:2:7: type: expected plan_task, found \"next_action\"");
  CHECK(plan_error("type: plan_task\nversion: 2\npayload: {}\n") ==
        "answer:2:10: version: expected a whole number from 1 to 1, found \"2\"");
  CHECK(plan_error("type: plan_task\n") == "answer:1:1: payload is missing; expected a mapping");
  CHECK(plan_error("type: plan_task\npayload: x\n") ==
        "answer:2:10: payload: expected a mapping (name: value), found \"x\"");
  CHECK(plan_error("type: plan_task\npayload: {acceptance_criteria: []}\n") ==
        "answer:2:32: payload.acceptance_criteria: must have at least one item");
  CHECK(plan_error("type: plan_task\npayload:\n  acceptance_criteria:\n  - {id: a b, description: "
                   "d}\n") ==
        "answer:4:10: payload.acceptance_criteria[0].id: expected a name like ac-1, found \"a b\"");
  CHECK(plan_error("type: plan_task\npayload: {task_id: other, acceptance_criteria: [{id: a, "
                   "description: d}]}\n") ==
        "answer:2:20: payload.task_id: expected fix-tests, found \"other\"");
  CHECK(plan_error("```yaml\n" + plan_answer() + "```\nor\n```yaml\n" + plan_answer() + "```\n") ==
        "answer:14:1: a second document; write one, without examples beside it");
  CHECK(action_error("type: next_action\npayload: {decision: {action: dance}}\n") ==
        "answer:2:30: payload.decision.action: expected run_worker, mark_complete or abort, found "
        "\"dance\"");
  CHECK(action_error("type: next_action\npayload: {decision: {action: run_worker}}\n") ==
        "answer:2:10: payload.worker_call is missing; expected a mapping with the prompt");
  CHECK(action_error("type: next_action\npayload: {decision: {action: run_worker}, worker_call: "
                     "{prompt: ''}}\n") ==
        "answer:2:65: payload.worker_call.prompt: must not be empty");
  CHECK(action_error("type: next_action\npayload: {decision: {action: run_worker}, worker_call: "
                     "{prompt: p, flags: -x}}\n") ==
        "answer:2:75: payload.worker_call.flags: expected a list of texts, found \"-x\"");
}

TEST_CASE("an assessment tells of each criterion, and does not contradict itself") {
  const auto assessment = read_assessment(assessment_answer("passed", "unknown"), kCriteria);
  REQUIRE(assessment);
  CHECK(assessment->verdicts[0].verdict == Verdict::kPassed);
  CHECK(assessment->verdicts[0].comment == "seen");
  CHECK(assessment->verdicts[1].verdict == Verdict::kUnknown);
  const std::string head =
      "type: completion_assessment\npayload:\n  all_criteria_satisfied: true\n"
      "  by_criterion:\n    - {id: ac-1, status: passed}\n";
  CHECK(assessment_error(head) == "answer:5:5: payload.by_criterion: ac-2 is missing");
  CHECK(assessment_error(head + "    - {id: ac-1, status: passed}\n") ==
        "answer:6:12: payload.by_criterion[1].id: \"ac-1\" is not a criterion, or is there twice");
  CHECK(assessment_error(head + "    - {id: ac-2, status: failed}\n") ==
        "answer:3:27: payload.all_criteria_satisfied: is true, but not all of by_criterion passed");
  CHECK(assessment_error(head + "    - {id: ac-2, status: fine}\n") ==
        "answer:6:26: payload.by_criterion[1].status: expected passed, failed or unknown, found "
        "\"fine\"");
  CHECK(assessment_error(head + "    - {id: ac-9, status: passed}\n").find("ac-9") !=
        std::string::npos);
}

TEST_CASE("an answer that is too long costs nothing") {
  const std::string huge(size_t{10} << 20, '[');
  const auto begin = orch::cpu_time();
  CHECK(plan_error(huge) == "answer:1:1: it is longer than 1048576 bytes");
  CHECK(orch::cpu_time() - begin < std::chrono::milliseconds(100));
}
