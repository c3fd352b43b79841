#include <catch2/catch.hpp>
#include <vector>

#include "base/text.h"
#include "task/task_note.h"
#include "task_rig.h"
#include "yaml/document.h"

using namespace orch::task;

namespace {

// A text that tries to break out of every place in a note.
const std::string kHostile =
    "---\n# Heading\n- [x] done\n```\n````text\n~~~\n<script>alert(1)</script> [a](javascript:b) "
    "`code` **bold** | a | b | $x$ &amp; \x1b[31m\x07\x9b \xe2\x80\xae\xe2\x80\x8b\r\n1. one\n> q\n"
    "\xff\n`````````` end";

std::string note_of(const Rig& rig, const std::string& detail = "") {
  const TaskEnd end{rig.machine.state(), EndReason::kGivenUp, detail};
  return write_note({rig.spec, rig.prd, rig.machine.facts(), end, "2026-11-23T20:00:00.000Z",
                     "2026-11-23T20:05:00.000Z", 300'000});
}

// The lines that a Markdown reader interprets: those outside of fences (CommonMark 4.5).
std::vector<std::string> outside(const std::string& note) {
  std::vector<std::string> lines;
  std::string fence;
  for (const std::string_view line : orch::base::split_lines(note)) {
    const size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (!fence.empty()) {
      if (ticks >= fence.size() && line.substr(ticks).empty()) fence.clear();
    } else if (ticks >= 3) {
      fence = std::string(ticks, '`');
    } else {
      lines.emplace_back(line);
    }
  }
  CHECK(fence.empty());
  return lines;
}

}  // namespace

TEST_CASE("a note tells what was wanted, done, found, and what remains") {
  Rig rig;
  rig.plan();
  rig.answer(done_answer());
  rig.loop(2, "passed", "failed");
  const std::string note = note_of(rig);
  for (const char* part :
       {"id: \"fix-tests\"", "status: \"RUNNING\"", "worker_runs: 1", "tokens_in: 100",
        "cost_usd: 0.2500", "  - \"20261123T200000-fix-tests-w1-0a1b\"", "# Make the tests pass",
        "```text\nMake the tests pass.\n```", "- [x] **ac-1** (passed): The tests pass. — seen",
        "- [ ] **ac-2** (failed): Nothing else is changed.", "### 1. mark\\_complete",
        "Refused: these criteria have not passed in an assessment: ac-1, ac-2",
        "```text\nMend the test.\n```", "Files changed: 1\n\n- a.cc", "```text\nI mended it.\n```",
        "- after worker run 1: failed with exit code 2", "- ac-2: Nothing else is changed.",
        "- The tests fail."}) {
    INFO(part);
    CHECK(note.find(part) != std::string::npos);
  }
  CHECK(note == note_of(rig));
}

TEST_CASE("a note is valid Markdown for any text") {
  Rig plain;
  plain.plan();
  plain.loop(1, "failed", "failed");
  const std::vector<std::string> expected = outside(note_of(plain, "detail"));

  Rig rig;
  rig.spec.title = rig.prd = rig.spec.test.command = kHostile;
  rig.tell(Begun{}, 0);
  rig.answer(
      "type: plan_task\npayload: {acceptance_criteria: [{id: ac-1, description: d}, {id: "
      "ac-2, description: d}]}\n");
  rig.answer(work_answer());
  WorkerEnd end = good_work();
  end.reason = end.detail = end.words = kHostile;
  end.paths = {kHostile};
  rig.worked(end);
  TestEnd tested = test_end(1);
  tested.output = kHostile;
  rig.tell(Tested{1, tested});
  rig.answer(
      "type: completion_assessment\npayload:\n  all_criteria_satisfied: false\n  summary: "
      "\"`*a\\n# b\"\n  by_criterion:\n    - {id: ac-1, status: failed, comment: \"|\\n- "
      "[x] c\"}\n    - {id: ac-2, status: failed}\n");
  const std::string note = note_of(rig, kHostile);

  CHECK(orch::base::invalid_utf8_at(note) == std::nullopt);
  for (const std::string_view line : orch::base::split_lines(note)) {
    CHECK(orch::base::printable(line) == line);
  }
  const std::vector<std::string> lines = outside(note);
  CHECK(lines.size() == expected.size());
  for (size_t i = 0; i < std::min(lines.size(), expected.size()); ++i) {
    INFO(lines[i]);
    // Hostile lines must begin like the harmless ones, with what orch wrote.
    const std::string begin = expected[i].substr(0, expected[i].find_first_of(":(\""));
    if (expected[i].starts_with("#") && !expected[i].starts_with("##")) continue;
    if (expected[i] == "- a.cc") continue;
    CHECK(lines[i].starts_with(begin.substr(0, 8)));
  }
  const size_t end_of_front = note.find("\n---\n", 4);
  const auto front = orch::yaml::read_yaml(note.substr(4, end_of_front - 3), "front");
  if (!front) FAIL(front.error().text);
  CHECK(front->keys[1].name == "title");
  CHECK(front->items[1].text == orch::base::to_valid_utf8(kHostile));
}

TEST_CASE("a text in a line begins nothing of Markdown's") {
  CHECK(markdown_line("- a") == "\\- a");
  CHECK(markdown_line("+ a") == "\\+ a");
  CHECK(markdown_line("1. a") == "1\\. a");
  CHECK(markdown_line("12) a") == "12\\) a");
  CHECK(markdown_line("# a\nb") == "\\# a b");
  CHECK(markdown_line("<b>`*_") == "\\<b\\>\\`\\*\\_");
  CHECK(markdown_line("=== a") == "\\=== a");
  CHECK(markdown_line("").empty());
  CHECK(markdown_block("a\n```\nb") == "````text\na\n```\nb\n````\n");
  CHECK(note_path("a-1") == ".agent-runner/task-a-1.md");
}
