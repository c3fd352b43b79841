// A task that is told to end while it waits: for its place, or for a run of an orch that died.
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "store/issue_name.h"
#include "store/session_file.h"
#include "task_run/task_run.h"
#include "temporary_folder.h"

using namespace orch;
using namespace orch::task_run;
namespace fs = std::filesystem;

namespace {

// A place that opens and closes when the test says so, like a slow container.
class SlowPlace final : public Place {
 public:
  struct Doors {
    std::function<void()> open;
    bool closes = true;
  };
  SlowPlace(loop::Loop& loop, Doors& doors) : soon_(loop), doors_(doors) {}
  void open(Told told) override {
    doors_.open = [this, told = std::move(told)] {
      soon_.start(0, [told] { told.on_open(base::Ok{}); });
    };
  }
  std::vector<std::string> run_words() const override { return {}; }
  void close(std::function<void()> on_closed) override {
    if (doors_.closes) soon_.start(0, std::move(on_closed));
  }

 private:
  loop::Timer soon_;
  Doors& doors_;
};

class Silent final : public meta::Provider {
 public:
  void ask(const meta::Question&, OnAnswer) override {}
};

constexpr const char* kSpec =
    "id: t\nprd: Do it.\nrunner:\n  meta: {kind: scripted, script: [x]}\n"
    "  worker: {kind: demo, timeout: 60s}\n  sandbox: none\n";

// A task in a folder of its own, and how it ended.
struct Stage {
  Stage() {
    fs::create_directories(path + "/repo");
    std::string moved;
    auto made = TaskFolder::create(path, "t", {kSpec, "Do it.", "", ""}, moved);
    REQUIRE(made);
    folder = std::move(made).value();
    setup.spec = *task::parse_task_spec(kSpec, "task.yaml");
    setup.prd = "Do it.";
    setup.place.state_dir = path;
    setup.place.repo = setup.place.repository = path + "/repo";
    setup.make_provider = [](loop::Loop&, size_t) {
      return base::Result<std::unique_ptr<meta::Provider>>(std::make_unique<Silent>());
    };
    setup.make_place = [this](loop::Loop& its) { return std::make_unique<SlowPlace>(its, doors); };
    run.emplace(loop, setup, *folder, [](const std::string&) {});
  }

  void take_up(const std::vector<task::JournalEntry>& entries) {
    for (const task::JournalEntry& entry : entries) REQUIRE(folder->append(entry));
    REQUIRE(run->take_up(*folder->read_journal()));
  }
  void start() {
    REQUIRE(run->start([this](base::Result<TaskOutcome> outcome) {
      REQUIRE(outcome);
      REQUIRE_FALSE(ended);
      ended = std::move(outcome).value();
      loop.stop();
    }));
  }
  void run_loop(int64_t most_ms = 20'000) {
    loop::Timer patience(loop);
    patience.start(most_ms, [this] { loop.stop(); });
    loop.run();
  }

  const TemporaryFolder own;
  const std::string& path = own.path();
  std::unique_ptr<TaskFolder> folder;
  loop::Loop loop;
  SlowPlace::Doors doors;
  TaskSetup setup;
  std::optional<TaskRun> run;
  std::optional<TaskOutcome> ended;
};

// The journal of a task that is under way: its plan is being made.
std::vector<task::JournalEntry> under_way() {
  return {{0, "2026-11-25T10:00:00.000Z", task::Opened{"t", "/repo"}},
          {1, "2026-11-25T10:00:00.001Z", task::Event(task::Begun{})},
          {2, "2026-11-25T10:00:00.002Z", task::StepBegun{"plan_task", 1}}};
}

}  // namespace

TEST_CASE("a task that is stopped while its place opens ends at once, begun or resumed") {
  const bool resumed = GENERATE(false, true);
  const bool opens_late = GENERATE(false, true);
  const auto [signum, code] = GENERATE(table<int, int>({{SIGTERM, 143}, {SIGINT, 130}}));
  INFO("resumed " << resumed << ", opens late " << opens_late << ", signal " << signum);
  Stage stage;
  if (resumed) stage.take_up(under_way());
  stage.start();
  REQUIRE(stage.doors.open);
  stage.run->on_stop_signal(signum);
  if (opens_late) stage.doors.open();
  stage.run_loop();
  REQUIRE(stage.ended);
  CHECK(exit_code(stage.ended->end.reason) == code);
  CHECK(stage.ended->end.state == task::TaskState::kCancelled);
  CHECK(fs::exists(stage.ended->folder + "/note.md"));
}

TEST_CASE("a second signal does not wait for the place to close") {
  Stage stage;
  stage.doors.closes = false;
  stage.start();
  stage.run->on_stop_signal(SIGINT);
  stage.run_loop(200);
  CHECK_FALSE(stage.ended);
  stage.run->on_stop_signal(SIGINT);
  REQUIRE(stage.ended);
  CHECK(exit_code(stage.ended->end.reason) == 130);
}

namespace {

// The journal of a task whose first worker is at work.
std::vector<task::JournalEntry> worker_under_way() {
  const std::string time = "2026-11-25T10:00:00.000Z";
  return {{0, time, task::Opened{"t", "/repo"}},
          {1, time, task::Event(task::Begun{})},
          {2, time, task::StepBegun{"plan_task", 1}},
          {3, time,
           task::Event(task::Answered{
               1,
               "type: plan_task\npayload: {acceptance_criteria: [{id: a, description: Do.}]}\n",
               {}})},
          {4, time, task::StepBegun{"next_action", 2}},
          {5, time,
           task::Event(task::Answered{2,
                                      "type: next_action\npayload: {decision: {action: run_worker, "
                                      "reason: to be done}, worker_call: {prompt: Do it.}}\n",
                                      {}})},
          {6, time, task::StepBegun{"worker", 1}}};
}

}  // namespace

TEST_CASE("a run of an orch that died is waited for, and a signal ends the wait") {
  Stage stage;
  const std::string issue = worker_issue("t", 1);
  auto held = store::SessionFile::claim(stage.path,
                                        store::session_key(issue, stage.setup.place.repository));
  REQUIRE(held);
  stage.take_up(worker_under_way());
  const size_t lines = stage.folder->read_journal()->size();
  stage.start();
  stage.run_loop(500);
  CHECK_FALSE(stage.doors.open);
  CHECK_FALSE(stage.ended);
  SECTION("it ends") {
    held->reset();
    loop::Timer look(stage.loop);
    const std::function<void()> see = [&] {
      if (stage.doors.open) return stage.loop.stop();
      look.start(10, see);
    };
    see();
    stage.run_loop();
    CHECK(stage.doors.open);
  }
  SECTION("a signal comes, after which the task can be gone on with as before") {
    stage.run->on_stop_signal(SIGINT);
    stage.run_loop();
    REQUIRE(stage.ended);
    CHECK(exit_code(stage.ended->end.reason) == 130);
    CHECK(stage.ended->end.detail == "before the run " + issue + " had ended");
    CHECK(stage.folder->read_journal()->size() == lines);
  }
}
