#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "meta/provider.h"
#include "task/task_machine.h"
#include "task_run/orch_run.h"
#include "task_run/place.h"
#include "task_run/run_words.h"
#include "task_run/task_folder.h"

namespace orch::task_run {

// A task and its needs, all of them checked.
struct TaskSetup {
  task::TaskSpec spec;
  std::string prd;
  RunPlace place;  // its sandbox_words are filled in from the Place
  WorkerAgent agent;
  std::map<std::string, std::string> variables;  // orch's environment
  // Makes the meta-agent's provider. `answered` is how many questions were answered before this
  // start.
  std::function<base::Result<std::unique_ptr<meta::Provider>>(loop::Loop& loop, size_t answered)>
      make_provider;
  std::function<std::unique_ptr<Place>(loop::Loop& loop)> make_place;
  std::function<base::Result<std::unique_ptr<TaskStep>>(
      loop::Loop& loop, const RunWords& words, const std::string& state_dir, int64_t timeout_ms,
      std::function<void(RunEnd)> on_end)>
      start_run = OrchRun::start;
};

// How a task ended, for the caller.
struct TaskOutcome {
  task::TaskEnd end;
  std::string note;          // path of the note; "" if it could not be written
  std::string note_trouble;  // why it could not be written
  std::string folder;        // the folder of the task's files
  std::string started, ended;
  int64_t worked_ms = 0;
};

// Carries out a task: obeys the commands of the task's machine, and feeds the results to the
// machine. Each event is written to the journal first, and the machine gets it in the journal's
// form. The note is written however the task ends.
class TaskRun {
 public:
  using Say = std::function<void(const std::string& line)>;
  // `say` gets a line for each step. All arguments must outlive this object.
  TaskRun(loop::Loop& loop, const TaskSetup& setup, TaskFolder& folder, Say say);
  ~TaskRun();
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  using OnEnd = std::function<void(base::Result<TaskOutcome>)>;

  // Takes up the task from the journal; may be called once, before start(). An error means that the
  // task has ended, or cannot be continued.
  base::Status take_up(const std::vector<task::JournalEntry>& entries);
  // First waits for the end of a run that was under way when an earlier orch died. `on_end` is
  // called once, from the loop; with an error if that run does not end, in which case nothing was
  // done.
  base::Status start(OnEnd on_end);
  // Handles SIGINT and SIGTERM, whatever this is waiting for. A second one does not wait for the
  // step to end politely.
  void on_stop_signal(int signum);

  const task::TaskFacts& facts() const { return machine_.facts(); }

 private:
  // A run of an orch that died; it may still be ending.
  struct LostRun {
    std::string issue, key;  // of its session
    bool is_worker = false;
  };

  task::TimeMs now() const;
  void await_lost_run(int64_t give_up_ms);
  void open_place();
  void leave_untouched(int signum);
  void on_place_open(base::Status status);
  void on_place_lost(const std::string& why);
  void begin();
  void keep_clock();
  void tell(const task::Event& event);
  base::Status record(const task::JournalEntry& entry, task::JournalEntry& read_back);
  void carry_out(const task::Command& command);
  void carry_out(const task::Ask& ask);
  void put(const task::Ask& ask);  // puts the question to the meta-agent
  void wait_for_limit(int n, int64_t limit_ms, const std::string& why);
  base::Status check_workdir(const task::Work& work) const;
  void carry_out(const task::Work& work);
  void carry_out(const task::RunTests& tests);
  void end_step();
  void on_answer(int n, base::Result<meta::Answer> answer);
  void on_worked(int n, RunEnd end);
  void on_tested(int n, const RunEnd& end);
  void fail_soon(task::Event event);
  base::Status start_run(const RunWords& words, int64_t timeout_ms,
                         std::function<void(RunEnd)> on_end);
  base::Result<std::string> write_note(const std::string& ended, task::TimeMs worked);
  void conclude();
  void finish();
  void say_about(const task::Event& event);
  task::WorkerEnd interrupted_end() const;

  loop::Loop& loop_;
  const TaskSetup& setup_;
  TaskFolder& folder_;
  Say say_;
  task::Machine machine_;
  RunPlace place_words_;
  std::unique_ptr<Place> place_;
  std::unique_ptr<meta::Provider> provider_;
  std::unique_ptr<TaskStep> run_;
  loop::Timer answer_timer_, soon_, clock_timer_;
  task::TimeMs base_ms_ = 0;  // the task's own time before this start
  int64_t begun_ms_;          // on the loop's clock, when this start was
  std::string started_;
  size_t answered_ = 0, told_decisions_ = 0;
  bool resumes_ = false;
  bool is_opened_ = false;  // the journal has its first line
  bool begun_ = false;      // the place is open, and the machine knows it
  // the end of the worker run that was under way when orch died
  std::optional<task::WorkerEnd> lost_;
  std::optional<LostRun> lost_run_;  // set until that run has ended
  std::optional<TaskOutcome> outcome_;
  OnEnd on_end_;
};

}  // namespace orch::task_run
