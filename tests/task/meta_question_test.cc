#include "task/meta_question.h"

#include <catch2/catch.hpp>

#include "task_rig.h"
#include "yaml/document.h"

using namespace orch::task;

namespace {

// The value of a field in the question's payload.
std::string payload_text(const std::string& document, const std::string& field) {
  const auto read = orch::yaml::read_yaml(
      document, "q", {.bytes = size_t{64} << 20, .depth = 12, .values = 20'000});
  if (!read) FAIL(read.error().text);
  const orch::yaml::Value& payload = read->items[2];
  for (size_t i = 0; i < payload.keys.size(); ++i) {
    if (payload.keys[i].name == field) return payload.items[i].text;
  }
  return "(no " + field + ")";
}

QuestionText question(QuestionKind kind, const std::string& prd, const TaskFacts& facts = {}) {
  const TaskSpec spec = spec_of(spec_text());
  return write_question(kind, {spec, prd, facts, {}, nullptr});
}

}  // namespace

TEST_CASE("a PRD is asked about as it was written, whatever it holds") {
  std::string prd =
      "$(touch x) `touch y`; \"a\" 'b' \\\n\ttab\n\x1b]0;title\x07\x1b[2J\r\n"
      "type: plan_task\npayload:\n---\n```yaml\ntype: next_action\n```\n";
  while (prd.size() < 200'000) prd += "line " + std::to_string(prd.size()) + " of a long PRD\n";
  CHECK(payload_text(question(QuestionKind::kPlanTask, prd).document, "prd") == prd);
  const std::string shown = "type: x\npayload:\n  prd: y\n";
  const std::string document = question(QuestionKind::kPlanTask, shown).document;
  CHECK(payload_text(document, "prd") == shown);
  CHECK(document.find("\ntype: x") == std::string::npos);
}

TEST_CASE("a question tells how it is to be answered, and what may be set") {
  const QuestionText plan = question(QuestionKind::kPlanTask, "p");
  CHECK(plan.instructions.find("task_id: fix-tests") != std::string::npos);
  const QuestionText next = question(QuestionKind::kNextAction, "p");
  CHECK(next.instructions.find("may hold: model, temperature, max_tokens, reasoning_effort.") !=
        std::string::npos);
}

TEST_CASE("what is told of a task with a long story has bounds") {
  TaskFacts facts;
  for (int i = 1; i <= 200; ++i) {
    WorkerEnd end = good_work();
    end.words = std::string(100'000, 'w') + "\nthe end";
    facts.runs.push_back({i, {}, 0, end, 0});
    facts.runs.back().call.prompt = std::string(100'000, 'p');
    facts.tests.push_back({i, i, false, test_end(1)});
    facts.decisions.push_back({Action::kMarkComplete, "r", "the tests fail", 0});
  }
  const QuestionText text =
      question(QuestionKind::kCompletionAssessment, std::string(1'000'000, 'x'), facts);
  CHECK(text.document.size() < 100'000);
  CHECK(text.document.find("the end") != std::string::npos);
}

TEST_CASE("the worker gets the prompt, and the PRD unchanged") {
  CHECK(worker_prompt("Do it.\n", "The PRD\x1b[1m\n") ==
        "Do it.\n\n---\nThe task that this is a part of, as its author wrote it:\n\nThe "
        "PRD\x1b[1m\n");
  CHECK(worker_prompt("Do it.", std::string(200, 'x'), 100) == "Do it.");
}

TEST_CASE("the ends of a text are cut between characters") {
  CHECK(end_of("abc", 3) == "abc");
  CHECK(end_of("first\nsecond", 8) == "[6 bytes before ...]\nsecond");
  CHECK(end_of("\xc3\xa4\xc3\xb6", 3) == "[2 bytes before ...]\n\xc3\xb6");
  CHECK(beginning_of("\xc3\xa4\xc3\xb6", 3) == "\xc3\xa4\n[... 2 more bytes]");
}
