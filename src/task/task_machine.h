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

enum class State : uint8_t {
  kPending,
  kPlanning,    // the acceptance criteria are made
  kRunning,     // the meta-agent decides, workers work, tests run
  kValidating,  // the meta-agent says that all is done: the tests once more
  kComplete,
  kFailed,
  kCancelled,
};
std::string_view name(State state);
constexpr bool is_end(State state) {
  return state == State::kComplete || state == State::kFailed || state == State::kCancelled;
}

// Why a task ended.
enum class EndReason : uint8_t {
  kComplete,
  kMetaFailed,  // no answer, or none that could be read
  kRefused,     // what the meta-agent wanted was refused too often in a row
  kGivenUp,     // by the meta-agent
  kLoops,       // the budgets
  kTimeout,
  kTokens,
  kCost,
  kLimit,        // of a provider, which ends later than the budget of time
  kInterrupted,  // Ctrl-C
  kTerminated,   // SIGTERM
  kInternal,     // orch, or the place where the worker runs
};
std::string_view name(EndReason reason);
std::string_view describe(EndReason reason);  // for help: one line
int exit_code(EndReason reason);

struct TaskEnd {
  State state = State::kFailed;
  EndReason reason = EndReason::kInternal;
  std::string detail;  // one line; ""
};

// What the owner is to do. Each is answered by one event, with the same n where there is one.
struct Ask {
  int n = 0;  // of the task's questions, from 1
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
struct EndStep {};  // the open one is to end soon; its event follows all the same
using Command = std::variant<Ask, Work, RunTests, EndStep>;

// What happened. These, with their times, are a task's journal: the same ones again make the same
// machine.
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
  bool limit = false;  // of the provider, and there is no time to wait for its end
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
struct Failed {  // of orch itself: the task cannot go on
  std::string error;
};
// orch died, the task was cancelled, or it failed for what may have passed, and now it goes on.
// What of the open step was found of a worker run that had been begun; a step that was not is done
// anew.
struct Resumed {
  std::optional<WorkerEnd> worker;
};
using Event =
    std::variant<Begun, Answered, AskFailed, Worked, Tested, CancelAsked, Failed, Resumed>;

// The logic of one task: has it planned, asks what to do next, has workers work and tests run, has
// the outcome assessed, and says how the task ended. What a meta-agent answers is a suggestion: it
// is checked against the task file, the criteria and the tests, and what does not hold is refused
// and told to it. Pure: events in, commands out; `now` is the task's own time, which stands still
// while nobody works on it.
class Machine {
 public:
  // Both outlive this.
  Machine(const TaskSpec& spec, const std::string& prd);

  // An event that does not answer the open step is ignored: it came too late.
  void on(TimeMs now, const Event& event);
  std::vector<Command> take_commands();

  State state() const { return state_; }
  const std::optional<TaskEnd>& end() const { return end_; }
  const TaskFacts& facts() const { return facts_; }
  Remaining remaining(TimeMs now) const;
  // Whether it has not ended, or has ended so that it may go on: what stopped it may have passed.
  bool can_go_on() const;

  bool is_cancelling() const { return cancel_.has_value() && !end_; }

  // The step that waits for its event, as it was commanded; nothing where there is none.
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
  int64_t loops() const;  // worker runs that count: one that a limit ended does not
  void take_up(TimeMs now);
  void test(TimeMs now);
  void command(Command command);
  bool take_open(int n);  // whether the open step has this number; then it is open no more
  void refuse(TimeMs now, const NextAction& next, std::string why);
  void record(TimeMs now, const NextAction& next, std::string refused);
  std::string objection(const NextAction& next) const;  // "" where it may be done
  std::string objection_to_call(const NextAction& next) const;
  std::string objection_to_completion() const;
  // Ends the task when a budget is used up. Tests cost time alone.
  enum class Costs : uint8_t { kTime, kAll };
  bool is_used_up(TimeMs now, Costs costs);
  int64_t within_budget(TimeMs now, int64_t timeout_ms) const;
  void finish(State state, EndReason reason, std::string detail = "");
  void finish_cancelled();

  const TaskSpec& spec_;
  const std::string& prd_;
  State state_ = State::kPending;
  TaskFacts facts_;
  std::optional<Command> open_;
  std::optional<TaskEnd> end_;
  std::optional<CancelAsked> cancel_;  // asked for
  std::optional<Repair> repair_;       // of the question that is asked a second time
  int refusals_ = 0;                   // in a row
  size_t assessed_ = 0;                // of the worker runs
  NextAction completion_;              // that is validated
  std::vector<Command> commands_;
};

}  // namespace orch::task
