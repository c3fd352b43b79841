#include "task/journal.h"

#include <catch2/catch.hpp>

#include "task/task_note.h"
#include "task_rig.h"

using namespace orch::task;

namespace {

std::string text_of(const std::vector<std::string>& lines, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += lines[i] + "\n";
  return text;
}

std::string error_of(const std::string& text) {
  const auto entries = read_journal(text, "journal.jsonl");
  return entries ? "no error" : entries.error().text;
}

// What a person can see of a machine's state.
std::string picture(const Rig& rig, const Machine& machine, TimeMs now) {
  const NoteSubject subject{
      rig.spec,
      rig.prd,
      machine.facts(),
      machine.end().value_or(TaskEnd{machine.state(), EndReason::kInternal, ""}),
      "",
      "",
      now};
  std::string text = write_note(subject) + std::string(name(machine.state()));
  if (machine.open_step()) text += begun(*machine.open_step()).step;
  return text;
}

// Plays everything once: a bad answer, a refusal, failing tests, a cancellation, the end.
void whole_story(Rig& rig) {
  rig.tell(Begun{{"main", "0123", {"a"}}}, 0);
  rig.answer("no yaml \x1b[31m here \xff");
  rig.answer(plan_answer(), {.in = 5, .out = 6, .cached = 1, .cost_usd = 0.125, .source = ""});
  rig.answer(done_answer());
  rig.loop(1, "failed", "unknown");
  rig.answer(work_answer());
  rig.tell(CancelAsked{});
  WorkerEnd interrupted;
  interrupted.run = "r";
  interrupted.reason = "interrupted";
  interrupted.detail = "by\nyou";
  interrupted.code = 130;
  interrupted.ms = 5;
  interrupted.words = "w\x07";
  interrupted.changes_unknown = "no snapshot";
  rig.worked(interrupted);
  rig.tell(Resumed{});
  rig.tested(0);
  rig.answer(assessment_answer());
  rig.answer(done_answer());
  rig.tested(0);
}

}  // namespace

TEST_CASE("a machine is rebuilt from any beginning of its journal") {
  Rig rig;
  whole_story(rig);
  REQUIRE(rig.machine.state() == TaskState::kComplete);
  // The same story again, which is looked at after every line.
  Rig twin;
  std::vector<std::pair<size_t, std::string>> pictures;
  for (size_t count = 1; count <= rig.journal.size(); ++count) {
    const auto entries = read_journal(text_of(rig.journal, count), "j");
    REQUIRE(entries);
    Machine machine(rig.spec, rig.prd);
    const auto replayed = replay(*entries, "j", machine);
    if (!replayed) FAIL(replayed.error().text);
    const auto& last = entries->back();
    const bool is_step = std::holds_alternative<StepBegun>(last.what);
    const Event* told = std::get_if<Event>(&last.what);
    const bool ends_step = told != nullptr && !std::holds_alternative<CancelAsked>(*told);
    CHECK(replayed->step_begun == (is_step || (replayed->step_begun && !ends_step)));
    CHECK(replayed->ms == last.ms);
    if (const Event* event = std::get_if<Event>(&last.what)) {
      twin.machine.on(last.ms, *event);
      twin.machine.take_commands();
    }
    CHECK(picture(rig, machine, last.ms) == picture(rig, twin.machine, last.ms));
  }
  CHECK(picture(rig, twin.machine, rig.now) == picture(rig, rig.machine, rig.now));
}

TEST_CASE("a task goes on from any beginning of its journal to its end") {
  Rig rig;
  whole_story(rig);
  for (size_t count = 1; count <= rig.journal.size(); ++count) {
    INFO("after " << count << " lines");
    const auto entries = read_journal(text_of(rig.journal, count), "j");
    Rig again;
    const auto replayed = replay(*entries, "j", again.machine);
    REQUIRE(replayed);
    const TaskState state = again.machine.state();
    if (state == TaskState::kComplete || state == TaskState::kFailed) continue;
    again.now = replayed->ms;
    if (again.machine.state() == TaskState::kPending) {
      again.tell(Begun{});
    } else {
      const bool worked = again.machine.open_step() && replayed->step_begun &&
                          std::holds_alternative<Work>(*again.machine.open_step());
      WorkerEnd lost;
      lost.reason = "interrupted";
      lost.code = 1;
      again.tell(Resumed{worked ? std::optional(lost) : std::nullopt});
      const auto& runs = again.machine.facts().runs;
      if (worked) CHECK(runs.back().end->reason == "interrupted");
    }
    for (int step = 0; step < 30 && !again.machine.end(); ++step) {
      const Command& command = again.commands.back();
      if (std::holds_alternative<Work>(command)) {
        again.worked();
      } else if (std::holds_alternative<RunTests>(command)) {
        again.tested(0);
      } else if (again.last<Ask>().kind == QuestionKind::kPlanTask) {
        again.answer(plan_answer());
      } else if (again.last<Ask>().kind == QuestionKind::kCompletionAssessment) {
        again.answer(assessment_answer());
      } else {
        const TaskFacts& facts = again.machine.facts();
        const bool done =
            facts.criteria[0].verdict == Verdict::kPassed && facts.tests.back().end.passed();
        again.answer(done ? done_answer() : work_answer());
      }
    }
    CHECK(name(again.machine.state()) == "COMPLETE");
    CHECK(again.machine.facts().usage.in >= rig.machine.facts().usage.in - 200);
  }
}

TEST_CASE("what was used is used after orch died, too") {
  Rig rig(spec_text("budget: {tokens: 205}\n"));
  rig.plan();
  rig.answer(work_answer());
  rig.worked();
  rig.tested(1);
  Machine machine(rig.spec, rig.prd);
  REQUIRE(replay(*read_journal(text_of(rig.journal, rig.journal.size()), "j"), "j", machine));
  CHECK(machine.remaining(rig.now).tokens == 95);
  CHECK(machine.remaining(rig.now).loops == 2);
}

TEST_CASE("a torn last line does not count; any other line that is wrong is named") {
  Rig rig;
  rig.plan();
  const std::string whole = text_of(rig.journal, rig.journal.size());
  const auto all = read_journal(whole, "j");
  REQUIRE(all);
  for (size_t cut = 1; cut <= rig.journal.back().size() + 1; ++cut) {
    const auto torn = read_journal(whole.substr(0, whole.size() - cut), "j");
    REQUIRE(torn);
    CHECK(torn->size() == all->size() - 1);
  }
  CHECK(whole_lines(whole + "{\"v\"") == whole.size());
  const std::string first = rig.journal[0] + "\n";
  CHECK(error_of(first + "{\"v\":1,\n").starts_with("journal.jsonl:2: "));
  CHECK(error_of(first + R"({"v":2,"ms":0,"time":"","event":"begun"})" + "\n") ==
        "journal.jsonl:2: v: is not 1");
  CHECK(error_of(first + R"({"v":1,"ms":0,"time":"","event":"dance"})" + "\n") ==
        "journal.jsonl:2: event: \"dance\" is not a known word");
  CHECK(error_of(first + R"({"v":1,"ms":0,"time":"","event":"answer","n":1})" + "\n")
            .starts_with("journal.jsonl:2: text"));
  CHECK(error_of(first + first).starts_with("journal.jsonl:2: the first line"));
  CHECK(error_of(rig.journal[1] + "\n").starts_with("journal.jsonl:1: the first line"));
}

TEST_CASE("a journal whose lines do not follow from each other is not gone on with") {
  Rig rig;
  rig.plan();
  std::vector<std::string> lines = rig.journal;
  lines.erase(lines.begin() + 3);  // the plan
  Machine machine(rig.spec, rig.prd);
  const auto replayed = replay(*read_journal(text_of(lines, lines.size()), "j"), "j", machine);
  REQUIRE_FALSE(replayed);
  CHECK(replayed.error().text ==
        "j:4: the step next_action 2 does not follow from the lines before it");
}
