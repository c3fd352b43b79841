#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "task/meta_answer.h"
#include "task/meta_question.h"
#include "task/task_facts.h"
#include "task/task_spec.h"

namespace orch::task {

enum class TaskState : uint8_t {
  kPending,
  kPlanning,    // the meta-agent writes the acceptance criteria
  kRunning,     // the meta-agent decides, workers work, tests run
  kValidating,  // the meta-agent says that all is done, and the tests run once more
  kComplete,
  kFailed,
  kCancelled,
};
std::string_view name(TaskState state);

// The reason for a task's end.
enum class EndReason : uint8_t {
  kComplete,
  kMetaFailed,  // it gave no answer, or none that could be read
  kRefused,     // decisions of the meta-agent were refused too often in a row
  kGivenUp,     // the meta-agent aborted the task
  kLoops,       // this one and the next three: a budget is used up
  kTimeout,
  kTokens,
  kCost,
  kLimit,        // a provider's limit ends later than the budget of time
  kInterrupted,  // Ctrl-C
  kTerminated,   // SIGTERM
  kInternal,     // orch failed, or the worker or the tests cannot be run here
};
std::string_view name(EndReason reason);
std::string_view describe(EndReason reason);  // for help: one line
int exit_code(EndReason reason);

struct TaskEnd {
  TaskState state = TaskState::kFailed;
  EndReason reason = EndReason::kInternal;
  std::string detail;  // one line, or ""
};

// Commands: the work for the machine's owner. Each but EndStep is answered by one event, which has
// the command's n.
struct Ask {
  int n = 0;  // counts the task's questions, from 1
  QuestionKind kind = QuestionKind::kPlanTask;
  QuestionText text;
  int64_t timeout_ms = 0;
};
struct Work {
  int n = 0;
  adapters::WorkerCall call;
  int64_t timeout_ms = 0;
};
struct RunTests {
  int n = 0;
  int64_t timeout_ms = 0;
};
// The open step should end soon; its event must still come.
struct EndStep {};
using Command = std::variant<Ask, Work, RunTests, EndStep>;

// Events: the results of commands and other news. The events with their times are a task's journal:
// fed again, they bring a new machine into the same state.
struct Begun {
  RepoFacts repo;
};
struct Answered {
  int n = 0;
  std::string text;
  event::Usage usage;
};
struct AskFailed {
  int n = 0;
  std::string error;
  bool limit = false;  // at a limit of the provider that ends too late to wait for
};
struct Worked {
  int n = 0;
  WorkerEnd end;
};
struct Tested {
  int n = 0;
  TestEnd end;
};
struct CancelAsked {
  enum class By : uint8_t { kInterrupt, kTerminate };
  By by = By::kInterrupt;
};
struct Failed {  // Orch itself has failed, and the task cannot go on.
  std::string error;
};
// The task goes on after orch died, or after the task was cancelled or failed for a reason that may
// have passed. `worker` is the known end of a worker run that was the open step and had been begun;
// a step that had not been begun is done anew.
struct Resumed {
  std::optional<WorkerEnd> worker;
};
using Event =
    std::variant<Begun, Answered, AskFailed, Worked, Tested, CancelAsked, Failed, Resumed>;

// The logic of one task: has the meta-agent plan it, asks for the next step, has workers work and
// tests run, has the outcome assessed, and decides how the task ended. A meta-agent's answer is
// only a suggestion: it is checked against the task file, the criteria and the tests, and a
// decision that does not hold is refused, with the reason in the next question. Pure: events in,
// commands out; `now` is the task's own time, which stands still while nobody works on the task.
class Machine {
 public:
  // Both arguments must outlive the machine.
  Machine(const TaskSpec& spec, const std::string& prd);

  // An event that does not answer the open step came too late and is ignored.
  void on(TimeMs now, const Event& event);
  std::vector<Command> take_commands();

  TaskState state() const { return state_; }
  const std::optional<TaskEnd>& end() const { return end_; }
  const TaskFacts& facts() const { return facts_; }
  Remaining remaining(TimeMs now) const;
  // Whether the task has not ended, or has ended for a reason that may have passed.
  bool can_go_on() const;

  bool is_cancelling() const { return cancel_.has_value() && !end_; }

  // The command of the step whose event is awaited; nullopt without one.
  const std::optional<Command>& open_step() const { return open_; }

 private:
  void on(TimeMs now, const Begun& begun);
  void on(TimeMs now, const Answered& answered);
  void on(TimeMs now, const AskFailed& failed);
  void on(TimeMs now, const Worked& worked);
  void on(TimeMs now, const Tested& tested);
  void on(TimeMs now, const CancelAsked& cancel);
  void on(TimeMs now, const Failed& failed);
  void on(TimeMs now, const Resumed& resumed);

  void take(TimeMs now, const Plan& plan);
  void take(TimeMs now, const NextAction& next);
  void take(TimeMs now, const Assessment& assessment);
  template <typename Answer>
  void take_or_repair(TimeMs now, const std::string& text, const base::Result<Answer>& answer);

  void ask(TimeMs now, QuestionKind kind);
  void work(TimeMs now, const NextAction& next);
  void look_at_work(TimeMs now);
  int64_t loops() const;  // counts worker runs, except those ended by a limit
  void take_up(TimeMs now);
  void test(TimeMs now);
  void command(Command command);
  bool take_open(int n);  // closes the open step if it has this number, and returns whether it had
  void refuse(TimeMs now, const NextAction& next, std::string why);
  void record(TimeMs now, const NextAction& next, std::string refused);
  // Why the decision is refused; "" if it is not.
  std::string objection(const NextAction& next) const;
  std::string objection_to_call(const NextAction& next) const;
  std::string objection_to_completion() const;
  // Ends the task and returns true when a budget is used up. Tests use only time, no tokens.
  enum class Costs : uint8_t { kTime, kAll };
  bool is_used_up(TimeMs now, Costs costs);
  int64_t within_budget(TimeMs now, int64_t timeout_ms) const;
  void finish(TaskState state, EndReason reason, std::string detail = "");
  void finish_cancelled();

  const TaskSpec& spec_;
  const std::string& prd_;
  TaskState state_ = TaskState::kPending;
  TaskFacts facts_;
  std::optional<Command> open_;
  std::optional<TaskEnd> end_;
  std::optional<CancelAsked> cancel_;  // the cancellation that was asked for
  std::optional<Repair> repair_;       // exists while a question is asked a second time
  int refusals_ = 0;                   // how many decisions in a row were refused
  size_t assessed_ = 0;                // how many of the worker runs were assessed
  NextAction completion_;  // the mark_complete that the tests in VALIDATING have to confirm
  std::vector<Command> commands_;
};

}  // namespace orch::task
