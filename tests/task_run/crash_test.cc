// A task on a disk that stops at each change in turn: the resumed task ends like one that was never
// stopped.
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "meta/scripted.h"
#include "stopping_disk.h"
#include "store/atomic_file.h"
#include "store/run_dir.h"
#include "store/run_record.h"
#include "store/runs.h"
#include "task_run/host_place.h"
#include "task_run/task_run.h"
#include "temporary_folder.h"

using namespace orch;
using namespace orch::task_run;
namespace fs = std::filesystem;
using stopping_disk::Moment;
using stopping_disk::Ran;

namespace {

constexpr const char* kPlan =
    "type: plan_task\npayload: {acceptance_criteria: [{id: ac-1, description: Done.}]}\n";
constexpr const char* kWork =
    "type: next_action\npayload: {decision: {action: run_worker, reason: to be done}, "
    "worker_call: {prompt: Do it.}}\n";
constexpr const char* kFailed =
    "type: completion_assessment\npayload: {all_criteria_satisfied: false, by_criterion: "
    "[{id: ac-1, status: failed}]}\n";
constexpr const char* kPassed =
    "type: completion_assessment\npayload: {all_criteria_satisfied: true, by_criterion: "
    "[{id: ac-1, status: passed}]}\n";
constexpr const char* kDone =
    "type: next_action\npayload: {decision: {action: mark_complete, reason: all is well}}\n";

// A task, and what happens in its world: programs that it starts, and answers that it gets.
struct Story {
  const char* name;
  const char* test;  // the task file's test command; "": none
  std::vector<std::string> answers;
  int workers;  // how many worker runs there are if nothing is stopped
  int tests;
};

const std::vector<Story> kStories{
    {"one worker, no tests", "", {kPlan, kWork, kPassed, kDone}, 1, 0},
    {"two workers and their tests",
     "test: echo passed\n",
     {kPlan, kWork, kFailed, kWork, kPassed, kDone},
     2,
     3},
    {"an answer that cannot be read, and a refusal",
     "test: echo passed\n",
     {"nonsense", kPlan, kDone, kWork, kPassed, kDone},
     1,
     2},
};

constexpr int64_t kTokens = 10;  // for each answer and each worker run

class Scratch {
 public:
  Scratch() { fs::create_directories(repo()); }
  const std::string& path() const { return folder_.path(); }
  std::string state() const { return path() + "/state"; }
  std::string repo() const { return path() + "/repo"; }
  std::string journal() const { return state() + "/tasks/t/journal.jsonl"; }

 private:
  TemporaryFolder folder_;
};

// Records each thing that happened in the world in a file, which survives orch.
void note_in_world(const Scratch& scratch, const std::string& what) {
  const stopping_disk::Elsewhere elsewhere;
  std::ofstream(scratch.path() + "/world", std::ios::app) << what << "\n";
}

std::map<std::string, int> world_of(const Scratch& scratch) {
  std::map<std::string, int> done;
  std::ifstream world(scratch.path() + "/world");
  for (std::string line; std::getline(world, line);) ++done[line];
  return done;
}

class Meta final : public meta::Provider {
 public:
  Meta(loop::Loop& loop, std::vector<meta::ScriptedAnswer> answers)
      : script_(loop, std::move(answers)) {}
  void ask(const meta::Question& question, OnAnswer on_answer) override {
    script_.ask(question, [on_answer](base::Result<meta::Answer> answer) {
      if (answer) answer->usage.in = kTokens;
      on_answer(std::move(answer));
    });
  }

 private:
  meta::Scripted script_;
};

// A run that has begun lives on in its record, whatever happens to the orch that started it.
class FakeRun final : public TaskStep {
 public:
  FakeRun(loop::Loop& loop, std::function<void(RunEnd)> on_end, RunEnd end) : soon_(loop) {
    soon_.start(0, [on_end = std::move(on_end), end = std::move(end)] { on_end(end); });
  }
  void stop() override {}

 private:
  loop::Timer soon_;
};

base::Result<std::unique_ptr<TaskStep>> begin_run(const Scratch& scratch, loop::Loop& loop,
                                                  const RunWords& words,
                                                  std::function<void(RunEnd)> on_end) {
  // orch run ISSUE ...
  const std::string& issue = words.argv.at(2);
  note_in_world(scratch, "run " + issue);
  const stopping_disk::Elsewhere elsewhere;
  const auto dir = store::RunDir::create(scratch.state(), std::chrono::system_clock::now(), issue);
  if (!dir) return dir.error();
  store::RunRecord record;
  record.id = dir->id();
  record.issue = issue;
  record.started = store::rfc3339_utc(std::chrono::system_clock::now());
  RunEnd end;
  end.run = dir->id();
  end.result.emplace();
  end.result->run = dir->id();
  end.result->issue = issue;
  end.result->started = end.result->ended = record.started;
  end.result->agent_exit_code = 0;
  end.result->usage.emplace();
  end.result->usage->in = issue.find("-w") != std::string::npos ? kTokens : 0;
  if (base::Status s = store::write_file_unsynced(dir->record_file(), to_json(record)); !s) {
    return s.error();
  }
  if (base::Status s = store::write_file_unsynced(dir->result_file(), to_json(*end.result)); !s) {
    return s.error();
  }
  return std::unique_ptr<TaskStep>(std::make_unique<FakeRun>(loop, std::move(on_end), end));
}

TaskTexts texts_of(const Story& story) {
  std::string spec = std::string("id: t\nprd: Do it.\n") + story.test +
                     "runner:\n  meta: {kind: scripted, script: [x]}\n  worker: {kind: demo, "
                     "timeout: 60s}\n  sandbox: none\n";
  return {std::move(spec), "Do it.", "", ""};
}

// Runs orch and returns its exit code; 2 is for what the command line refuses in its place.
int orch_task(const Scratch& scratch, const Story& story, std::string& note) {
  base::Result<std::unique_ptr<TaskFolder>> folder = TaskFolder::open(scratch.state(), "t");
  std::vector<task::JournalEntry> entries;
  base::Result<TaskTexts> texts = texts_of(story);
  if (folder) {
    // A task that was cut off before it began is started again, as orch says.
    texts = (*folder)->texts();
    auto read = (*folder)->read_journal();
    if (!texts || texts->spec != texts_of(story).spec || !read) {
      folder->reset();
      folder = base::Error{base::ErrorCode::kNotFound, ""};
      texts = texts_of(story);
    } else {
      entries = std::move(read).value();
    }
  }
  std::string moved;
  if (!folder) folder = TaskFolder::create(scratch.state(), "t", *texts, moved);
  if (!folder) return 125;
  auto spec = task::parse_task_spec(texts->spec, "task.yaml");
  if (!spec) return 125;
  TaskSetup setup;
  setup.spec = std::move(spec).value();
  setup.prd = texts->prd;
  setup.place.program = "orch";
  setup.place.state_dir = scratch.state();
  setup.place.repo = setup.place.repository = scratch.repo();
  setup.agent.name = "demo";
  setup.make_provider = [&](loop::Loop& loop, size_t answered) {
    std::vector<meta::ScriptedAnswer> answers;
    for (size_t i = answered; i < story.answers.size(); ++i) {
      answers.push_back(*meta::read_scripted(story.answers[i]));
    }
    return base::Result<std::unique_ptr<meta::Provider>>(
        std::make_unique<Meta>(loop, std::move(answers)));
  };
  setup.make_place = [](loop::Loop& loop) {
    return std::make_unique<HostPlace>(loop, std::vector<std::string>{});
  };
  setup.start_run = [&scratch](loop::Loop& loop, const RunWords& words, const std::string&, int64_t,
                               std::function<void(RunEnd)> on_end) {
    return begin_run(scratch, loop, words, std::move(on_end));
  };
  loop::Loop loop;
  TaskRun run(loop, setup, **folder, [](const std::string&) {});
  if (base::Status s = run.take_up(entries); !s) {
    note = s.error().text;
    return 2;
  }
  int code = 125;
  const base::Status started = run.start([&](const base::Result<TaskOutcome>& outcome) {
    code = outcome ? exit_code(outcome->end.reason) : event::exit_code(outcome.error().code);
    note = outcome ? outcome->end.detail : outcome.error().text;
    loop.stop();
  });
  if (!started) return 125;
  loop.run();
  return code;
}

Ran run_orch(const Scratch& scratch, const Story& story, int at = 0,
             Moment moment = Moment::kBefore) {
  return stopping_disk::in_child(scratch.path(), at, moment, [&] {
    std::string note;
    const int code = orch_task(scratch, story, note);
    if (code != 0) std::fprintf(stderr, "ended with %d: %s\n", code, note.c_str());
    return code;
  });
}

// Checks the result against what it must be.
void check_end(const Scratch& scratch, const Story& story) {
  std::ifstream file(scratch.journal());
  std::stringstream text;
  text << file.rdbuf();
  const auto entries = task::read_journal(text.str(), "journal");
  REQUIRE(entries);
  const auto spec = task::parse_task_spec(texts_of(story).spec, "task.yaml");
  task::Machine machine(*spec, "Do it.");
  const auto replayed = task::replay(*entries, "journal", machine);
  REQUIRE(replayed);
  CHECK(machine.state() == task::TaskState::kComplete);
  const auto runs = static_cast<int>(machine.facts().runs.size());
  CHECK(runs == story.workers);
  // Only tests and questions are repeated, and the journal says so.
  const std::map<std::string, int> done = world_of(scratch);
  int begun = 0, repeated = 0, resumed = 0;
  for (const auto& [what, times] : done) {
    INFO(what);
    if (what.find("-w") != std::string::npos) CHECK(times == 1);
    if (what.find("-w") != std::string::npos) ++begun;
    repeated += times - 1;
  }
  task::TimeMs before = 0;
  int opened = 0;
  for (const task::JournalEntry& entry : *entries) {
    CHECK(entry.ms >= before);
    before = entry.ms;
    opened += std::holds_alternative<task::Opened>(entry.what) ? 1 : 0;
    const auto* event = std::get_if<task::Event>(&entry.what);
    resumed += event != nullptr && std::holds_alternative<task::Resumed>(*event) ? 1 : 0;
  }
  CHECK(opened == 1);
  CHECK(repeated <= resumed);
  // Everything that was paid for is counted: each answer, and each worker run.
  CHECK(machine.facts().usage.in >= kTokens * (begun + static_cast<int64_t>(story.answers.size())));
  CHECK(fs::exists(scratch.repo() + "/.agent-runner/task-t.md"));
  CHECK(fs::exists(scratch.state() + "/tasks/t/note.md"));
}

constexpr std::array<Moment, 3> kMoments{Moment::kBefore, Moment::kInTheMiddle, Moment::kAfter};

int stop_once_each(const Story& story) {
  int points = 0;
  const Scratch whole;
  const Ran never = run_orch(whole, story);
  REQUIRE(never.code == 0);
  check_end(whole, story);
  REQUIRE(never.changes > 20);
  for (int at = 1; at <= never.changes; ++at) {
    for (const Moment moment : kMoments) {
      INFO("at change " << at << ", moment " << static_cast<int>(moment));
      const Scratch scratch;
      if (run_orch(scratch, story, at, moment).code != stopping_disk::kStopped) continue;
      ++points;
      const Ran resumed = run_orch(scratch, story);
      CHECK((resumed.code == 0 || resumed.code == 2));  // 2: the task had ended already
      check_end(scratch, story);
    }
  }
  return points;
}

}  // namespace

TEST_CASE("a task that is killed at any change to its files is resumed to the same end") {
  for (const Story& story : kStories) {
    INFO(story.name);
    const int points = stop_once_each(story);
    std::printf("task crash points, %s: %d\n", story.name, points);
    CHECK(points > 60);
  }
}

TEST_CASE("so is one that is killed again while it is resumed") {
  const Story& story = kStories[1];
  int pairs = 0;
  for (int first = 3; first < 200; first += 4) {
    bool stopped = false;
    for (int second = 1; second < 200; second += 3) {
      const Moment moment = kMoments[static_cast<size_t>(first + second) % kMoments.size()];
      INFO("at change " << first << ", then at " << second << ", moment "
                        << static_cast<int>(moment));
      const Scratch scratch;
      stopped = run_orch(scratch, story, first, moment).code == stopping_disk::kStopped;
      if (!stopped) break;
      if (run_orch(scratch, story, second, moment).code != stopping_disk::kStopped) break;
      ++pairs;
      const Ran resumed = run_orch(scratch, story);
      CHECK((resumed.code == 0 || resumed.code == 2));
      check_end(scratch, story);
    }
    if (!stopped) break;
  }
  std::printf("task crash points in pairs: %d\n", pairs);
  CHECK(pairs > 60);
}
