// A task that is told to end before its place is open.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <optional>

#include "task_run/task_run.h"

using namespace orch;
using namespace orch::task_run;
namespace fs = std::filesystem;

namespace {

// It opens when it is told to, as a container that takes its time.
class SlowPlace final : public Place {
 public:
  SlowPlace(loop::Loop& loop, std::function<void()>& opens) : soon_(loop), opens_(opens) {}
  void open(Told told) override {
    opens_ = [this, told = std::move(told)] {
      soon_.start(0, [told] { told.on_open(base::Ok{}); });
    };
  }
  std::vector<std::string> run_words() const override { return {}; }
  void close(std::function<void()> on_closed) override { soon_.start(0, std::move(on_closed)); }

 private:
  loop::Timer soon_;
  std::function<void()>& opens_;
};

class Silent final : public meta::Provider {
 public:
  void ask(const meta::Question&, OnAnswer) override {}
};

// A journal of a task that was under way: its plan is being made.
std::vector<task::JournalEntry> under_way() {
  return {{0, "2026-11-25T10:00:00.000Z", task::Opened{"t", "/repo"}},
          {1, "2026-11-25T10:00:00.001Z", task::Event(task::Begun{})},
          {2, "2026-11-25T10:00:00.002Z", task::StepBegun{"plan_task", 1}}};
}

}  // namespace

TEST_CASE("a task that is stopped while its place opens ends so, begun or resumed") {
  const bool resumed = GENERATE(false, true);
  const auto [signum, code] = GENERATE(table<int, int>({{SIGTERM, 143}, {SIGINT, 130}}));
  INFO("resumed " << resumed << ", signal " << signum);
  std::string path = (fs::temp_directory_path() / "orch-stop-XXXXXX").string();
  REQUIRE(::mkdtemp(path.data()) != nullptr);
  fs::create_directories(path + "/repo");
  std::string moved;
  const std::string spec =
      "id: t\nprd: Do it.\nrunner:\n  meta: {kind: scripted, script: [x]}\n"
      "  worker: {kind: demo, timeout: 60s}\n  sandbox: none\n";
  auto folder = TaskFolder::create(path, "t", {spec, "Do it.", ""}, moved);
  REQUIRE(folder);
  loop::Loop loop;
  std::function<void()> opens;
  TaskSetup setup;
  setup.spec = *task::parse_task_spec(spec, "task.yaml");
  setup.prd = "Do it.";
  setup.place.state_dir = path;
  setup.place.repo = setup.place.repository = path + "/repo";
  setup.make_provider = [](loop::Loop&, size_t) {
    return base::Result<std::unique_ptr<meta::Provider>>(std::make_unique<Silent>());
  };
  setup.make_place = [&](loop::Loop& its) { return std::make_unique<SlowPlace>(its, opens); };
  TaskRun run(loop, setup, **folder, [](const std::string&) {});
  if (resumed) {
    for (const task::JournalEntry& entry : under_way()) REQUIRE((*folder)->append(entry));
    REQUIRE(run.take_up(*(*folder)->read_journal()));
  }
  std::optional<TaskOutcome> ended;
  REQUIRE(run.start([&](TaskOutcome outcome) {
    ended = std::move(outcome);
    loop.stop();
  }));
  REQUIRE(opens);
  run.on_stop_signal(signum);
  CHECK_FALSE(ended);
  opens();
  loop::Timer patience(loop);
  patience.start(20'000, [&] { loop.stop(); });
  loop.run();
  REQUIRE(ended);
  CHECK(exit_code(ended->end.reason) == code);
  CHECK(ended->end.state == task::State::kCancelled);
  fs::remove_all(path);
}
