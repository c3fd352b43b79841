#include "task/task_machine.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "event/exit_reason.h"

namespace orch::task {
namespace {

constexpr int kMostRefusalsInARow = 3;
constexpr size_t kKeptOfBadAnswer = 8'000;
constexpr int kOwnFailure = 125, kNotExecutable = 126, kNotFound = 127;

struct ReasonRow {
  EndReason reason;
  event::ExitReason exit;
  std::string_view name, description;
};
using event::ExitReason;
constexpr std::array<ReasonRow, 12> kReasons{{
    {EndReason::kComplete, ExitReason::kComplete, "complete", "all criteria passed, and the tests"},
    {EndReason::kMetaFailed, ExitReason::kTaskFailed, "meta_failed",
     "no answer of the meta-agent, or none that could be read"},
    {EndReason::kRefused, ExitReason::kTaskFailed, "refused",
     "what the meta-agent wanted was refused three times in a row"},
    {EndReason::kGivenUp, ExitReason::kTaskFailed, "given_up", "the meta-agent gave the task up"},
    {EndReason::kLoops, ExitReason::kTurns, "loops", "all worker runs are used up"},
    {EndReason::kTimeout, ExitReason::kTimeout, "timeout", "the budget of time is used up"},
    {EndReason::kTokens, ExitReason::kTokens, "tokens", "the budget of tokens is used up"},
    {EndReason::kCost, ExitReason::kCost, "cost", "the budget of cost is used up"},
    {EndReason::kLimit, ExitReason::kRetryLater, "limit",
     "a provider's limit, which ends later than the budget of time"},
    {EndReason::kInterrupted, ExitReason::kInterrupted, "interrupted", "Ctrl-C"},
    {EndReason::kTerminated, ExitReason::kTerminated, "terminated", "SIGTERM"},
    {EndReason::kInternal, ExitReason::kInternal, "internal",
     "orch failed, or the worker cannot be run here"},
}};

const ReasonRow& row_of(EndReason reason) {
  return *std::find_if(kReasons.begin(), kReasons.end(),
                       [reason](const ReasonRow& row) { return row.reason == reason; });
}

constexpr base::Words<TaskState, 7> kStates{{{TaskState::kPending, "PENDING"},
                                             {TaskState::kPlanning, "PLANNING"},
                                             {TaskState::kRunning, "RUNNING"},
                                             {TaskState::kValidating, "VALIDATING"},
                                             {TaskState::kComplete, "COMPLETE"},
                                             {TaskState::kFailed, "FAILED"},
                                             {TaskState::kCancelled, "CANCELLED"}}};

// The end of a worker run whose end is unknown.
WorkerEnd lost_run() {
  WorkerEnd end;
  end.reason = "interrupted";
  end.detail = "orch failed while the worker ran";
  end.code = event::exit_code(event::ExitReason::kInternal);
  end.changes_unknown = "the run did not come to its end";
  return end;
}

struct NumberOf {
  int operator()(const Ask& ask) const { return ask.n; }
  int operator()(const Work& work) const { return work.n; }
  int operator()(const RunTests& tests) const { return tests.n; }
  int operator()(const EndStep&) const { return 0; }
};

// Whether `path` names a folder below the repository, judged by the words of the path alone.
bool stays_inside(std::string_view path) {
  if (path.starts_with('/') || base::printable(path) != path) return false;
  const std::vector<std::string_view> names = base::split(path, '/');
  return std::find(names.begin(), names.end(), "..") == names.end();
}

std::string check_env(const std::map<std::string, std::string>& env) {
  for (const auto& [variable, value] : env) {
    const std::string shown = base::printable(variable);
    if (!is_variable_name(variable)) return "env: \"" + shown + "\" is not a name of a variable";
    if (is_own_variable(variable)) return "env: orch itself obeys " + shown;
    if (leads_programs(variable)) return "env: only the task file may set " + shown;
    if (value.starts_with("env:")) return "env: " + shown + " would take a variable of orch's own";
    if (value.find('\0') != std::string::npos) return "env: " + shown + " holds a NUL byte";
  }
  return "";
}

// Finds values that cannot be one word of a command line; "" if there is none.
std::string check_words(const adapters::WorkerCall& call) {
  for (const auto& [field, value] :
       {std::pair{"model", &call.model}, std::pair{"reasoning_effort", &call.reasoning_effort},
        std::pair{"cli_path", &call.cli_path}}) {
    if (*value &&
        ((*value)->empty() || (*value)->starts_with('-') || base::printable(**value) != **value)) {
      return std::string(field) + " is not one printable word";
    }
  }
  for (const std::string& flag : call.flags) {
    if (flag.find('\0') != std::string::npos) return "flags: one holds a NUL byte";
  }
  if (call.prompt.find('\0') != std::string::npos) return "the prompt holds a NUL byte";
  return check_env(call.env);
}

}  // namespace

std::string_view name(TaskState state) { return base::word_of(kStates, state); }
std::string_view name(EndReason reason) { return row_of(reason).name; }
std::string_view describe(EndReason reason) { return row_of(reason).description; }
int exit_code(EndReason reason) { return event::exit_code(row_of(reason).exit); }

Machine::Machine(const TaskSpec& spec, const std::string& prd) : spec_(spec), prd_(prd) {}

std::vector<Command> Machine::take_commands() { return std::exchange(commands_, {}); }

void Machine::on(TimeMs now, const Event& event) {
  std::visit([this, now](const auto& each) { on(now, each); }, event);
}

void Machine::on(TimeMs now, const Begun& begun) {
  if (state_ != TaskState::kPending) return;
  facts_.repo = begun.repo;
  state_ = TaskState::kPlanning;
  ask(now, QuestionKind::kPlanTask);
}

bool Machine::take_open(int n) {
  if (!open_ || std::visit(NumberOf(), *open_) != n) return false;
  open_.reset();
  return true;
}

template <typename Answer>
void Machine::take_or_repair(TimeMs now, const std::string& text,
                             const base::Result<Answer>& answer) {
  if (answer) {
    repair_.reset();
    return take(now, *answer);
  }
  if (repair_) {
    return finish(TaskState::kFailed, EndReason::kMetaFailed,
                  "its answer could not be read, nor the one after it: " + answer.error().text);
  }
  repair_ = Repair{answer.error().text, text.substr(0, kKeptOfBadAnswer)};
}

void Machine::on(TimeMs now, const Answered& answered) {
  const Ask* asked = open_ ? std::get_if<Ask>(&*open_) : nullptr;
  if (asked == nullptr || asked->n != answered.n) return;
  const QuestionKind kind = asked->kind;
  open_.reset();
  event::add(facts_.usage, answered.usage);
  if (cancel_) return finish_cancelled();
  switch (kind) {
    case QuestionKind::kPlanTask:
      take_or_repair(now, answered.text, read_plan(answered.text, spec_.id));
      break;
    case QuestionKind::kNextAction:
      take_or_repair(now, answered.text, read_next_action(answered.text));
      break;
    case QuestionKind::kCompletionAssessment:
      take_or_repair(now, answered.text, read_assessment(answered.text, facts_.criteria));
      break;
  }
  if (repair_ && !end_) ask(now, kind);
}

void Machine::on(TimeMs now, const AskFailed& failed) {
  if (!open_ || !std::holds_alternative<Ask>(*open_) || !take_open(failed.n)) return;
  if (cancel_) return finish_cancelled();
  if (failed.limit) return finish(TaskState::kFailed, EndReason::kLimit, failed.error);
  if (is_used_up(now, Costs::kTime)) return;
  finish(TaskState::kFailed, EndReason::kMetaFailed, failed.error);
}

void Machine::take(TimeMs now, const Plan& plan) {
  facts_.criteria = plan.criteria;
  state_ = TaskState::kRunning;
  ask(now, QuestionKind::kNextAction);
}

void Machine::take(TimeMs now, const NextAction& next) {
  if (next.action == Action::kAbort) {
    record(now, next, "");
    return finish(TaskState::kFailed, EndReason::kGivenUp, base::printable(next.reason));
  }
  std::string why = objection(next);
  if (!why.empty()) return refuse(now, next, std::move(why));
  if (next.action == Action::kRunWorker) return work(now, next);
  if (spec_.test.command.empty()) {
    record(now, next, "");
    refusals_ = 0;
    state_ = TaskState::kValidating;
    return finish(TaskState::kComplete, EndReason::kComplete);
  }
  completion_ = next;
  state_ = TaskState::kValidating;
  test(now);
}

void Machine::take(TimeMs now, const Assessment& assessment) {
  for (Criterion& criterion : facts_.criteria) {
    for (const Criterion& verdict : assessment.verdicts) {
      if (verdict.id != criterion.id) continue;
      criterion.verdict = verdict.verdict;
      criterion.comment = verdict.comment;
    }
  }
  facts_.summary = assessment.summary;
  assessed_ = facts_.runs.size();
  ask(now, QuestionKind::kNextAction);
}

std::string Machine::objection(const NextAction& next) const {
  return next.action == Action::kRunWorker ? objection_to_call(next) : objection_to_completion();
}

std::string Machine::objection_to_call(const NextAction& next) const {
  for (const std::string& field : next.fields) {
    if (field == "prompt") continue;
    const std::optional<CallField> known = call_field_named(field);
    if (!known) return "worker_call." + base::printable(field) + ": there is no such field";
    if (!spec_.worker.allow.contains(*known)) {
      return "worker_call." + field + ": the task file does not allow a meta-agent to set it";
    }
  }
  if (next.call.workdir && !stays_inside(*next.call.workdir)) {
    return "worker_call.workdir: must be a folder of the repository, relative to it";
  }
  const std::string words = check_words(next.call);
  return words.empty() ? "" : "worker_call: " + words;
}

std::string Machine::objection_to_completion() const {
  std::string unmet;
  for (const Criterion& criterion : facts_.criteria) {
    if (criterion.verdict == Verdict::kPassed) continue;
    unmet.append(unmet.empty() ? "" : ", ").append(criterion.id);
  }
  if (!unmet.empty()) return "these criteria have not passed in an assessment: " + unmet;
  if (!facts_.tests.empty() && !facts_.tests.back().end.passed()) return "the tests fail";
  return "";
}

void Machine::record(TimeMs now, const NextAction& next, std::string refused) {
  facts_.decisions.push_back({next.action, next.reason, std::move(refused), now});
}

void Machine::refuse(TimeMs now, const NextAction& next, std::string why) {
  state_ = TaskState::kRunning;
  record(now, next, why);
  if (++refusals_ < kMostRefusalsInARow) return ask(now, QuestionKind::kNextAction);
  finish(TaskState::kFailed, EndReason::kRefused, std::move(why));
}

void Machine::work(TimeMs now, const NextAction& next) {
  refusals_ = 0;
  if (loops() >= spec_.worker.max_loops) {
    const std::string why =
        "all worker runs (" + std::to_string(spec_.worker.max_loops) + ") are used up";
    record(now, next, why);
    return finish(TaskState::kFailed, EndReason::kLoops, why);
  }
  record(now, next, "");
  if (is_used_up(now, Costs::kAll)) return;
  const int n = static_cast<int>(facts_.runs.size()) + 1;
  facts_.runs.push_back({n, next.call, now, {}, facts_.decisions.size() - 1});
  command(Work{n, next.call, within_budget(now, spec_.worker.timeout_ms)});
}

void Machine::on(TimeMs now, const Worked& worked) {
  if (!open_ || !std::holds_alternative<Work>(*open_) || !take_open(worked.n)) return;
  facts_.runs.back().end = worked.end;
  event::add(facts_.usage, worked.end.usage);
  if (cancel_) return finish_cancelled();
  const int code = worked.end.code;
  if (code == kOwnFailure || code == kNotExecutable || code == kNotFound) {
    return finish(TaskState::kFailed, EndReason::kInternal,
                  "the worker cannot be run: " + worked.end.detail);
  }
  if (worked.end.at_limit()) {
    return finish(TaskState::kFailed, EndReason::kLimit, "the worker: " + worked.end.detail);
  }
  look_at_work(now);
}

int64_t Machine::loops() const {
  return std::count_if(facts_.runs.begin(), facts_.runs.end(),
                       [](const WorkerRun& run) { return !run.end || !run.end->at_limit(); });
}

void Machine::test(TimeMs now) {
  if (is_used_up(now, Costs::kTime)) return;
  command(RunTests{static_cast<int>(facts_.tests.size()) + 1,
                   within_budget(now, spec_.test.timeout_ms)});
}

void Machine::on(TimeMs now, const Tested& tested) {
  if (!open_ || !std::holds_alternative<RunTests>(*open_) || !take_open(tested.n)) return;
  const bool validates = state_ == TaskState::kValidating;
  if (!cancel_) {
    facts_.tests.push_back({tested.n, static_cast<int>(facts_.runs.size()), validates, tested.end});
  }
  if (cancel_) return finish_cancelled();
  if (!tested.end.trouble.empty()) {
    return finish(TaskState::kFailed, EndReason::kInternal,
                  "the tests cannot be run: " + tested.end.trouble);
  }
  if (!validates) return ask(now, QuestionKind::kCompletionAssessment);
  if (!tested.end.passed()) return refuse(now, completion_, "the tests fail");
  record(now, completion_, "");
  refusals_ = 0;
  finish(TaskState::kComplete, EndReason::kComplete);
}

void Machine::on(TimeMs, const CancelAsked& cancel) {
  if (end_ || cancel_) return;
  cancel_ = cancel;
  if (!open_) return finish_cancelled();
  commands_.emplace_back(EndStep{});
}

void Machine::on(TimeMs, const Failed& failed) {
  if (end_) return;
  open_.reset();
  finish(TaskState::kFailed, EndReason::kInternal, failed.error);
}

void Machine::on(TimeMs now, const Resumed& resumed) {
  if (!can_go_on()) return;
  const bool had_ended = end_.has_value();
  end_.reset();
  cancel_.reset();
  commands_.clear();
  if (had_ended) {
    if (!facts_.runs.empty() && !facts_.runs.back().end) {
      facts_.runs.back().end = resumed.worker.value_or(lost_run());
    }
    return take_up(now);
  }
  if (!open_) return;
  if (resumed.worker && std::holds_alternative<Work>(*open_)) {
    return on(now, Worked{facts_.runs.back().n, *resumed.worker});
  }
  commands_.push_back(*open_);
}

bool Machine::can_go_on() const {
  if (state_ == TaskState::kCancelled || !end_) return true;
  const EndReason reason = end_->reason;
  return reason == EndReason::kMetaFailed || reason == EndReason::kInternal ||
         reason == EndReason::kLimit;
}

// Goes on with the next step after the ones that were done before the task ended.
void Machine::take_up(TimeMs now) {
  repair_.reset();
  state_ = facts_.criteria.empty() ? TaskState::kPlanning : TaskState::kRunning;
  if (state_ == TaskState::kPlanning) return ask(now, QuestionKind::kPlanTask);
  if (facts_.runs.size() == assessed_) return ask(now, QuestionKind::kNextAction);
  look_at_work(now);
}

void Machine::look_at_work(TimeMs now) {
  if (spec_.test.command.empty()) return ask(now, QuestionKind::kCompletionAssessment);
  test(now);
}

void Machine::ask(TimeMs now, QuestionKind kind) {
  if (is_used_up(now, Costs::kAll)) return;
  const QuestionSubject subject{spec_, prd_, facts_, remaining(now), repair_ ? &*repair_ : nullptr};
  command(Ask{++facts_.questions, kind, write_question(kind, subject),
              within_budget(now, spec_.meta.timeout_ms)});
}

void Machine::command(Command command) {
  open_ = command;
  commands_.push_back(std::move(command));
}

Remaining Machine::remaining(TimeMs now) const {
  Remaining left;
  left.loops = spec_.worker.max_loops - loops();
  const Budget& budget = spec_.budget;
  if (budget.time_ms > 0) left.time_ms = std::max<int64_t>(0, budget.time_ms - now);
  if (budget.tokens > 0) {
    left.tokens = std::max<int64_t>(0, budget.tokens - event::tokens(facts_.usage));
  }
  if (budget.cost_usd > 0) {
    left.cost_usd = std::max(0.0, budget.cost_usd - facts_.usage.cost_usd.value_or(0));
  }
  return left;
}

bool Machine::is_used_up(TimeMs now, Costs costs) {
  const Remaining left = remaining(now);
  const auto end = [this](EndReason reason, std::string_view what) {
    finish(TaskState::kFailed, reason, "the budget of " + std::string(what) + " is used up");
    return true;
  };
  if (left.time_ms == 0) return end(EndReason::kTimeout, "time");
  if (costs == Costs::kTime) return false;
  if (left.tokens == 0) return end(EndReason::kTokens, "tokens");
  if (left.cost_usd == 0) return end(EndReason::kCost, "cost");
  return false;
}

int64_t Machine::within_budget(TimeMs now, int64_t timeout_ms) const {
  const std::optional<int64_t> left = remaining(now).time_ms;
  return left ? std::min(*left, timeout_ms) : timeout_ms;
}

void Machine::finish(TaskState state, EndReason reason, std::string detail) {
  state_ = state;
  end_ = TaskEnd{state, reason, std::move(detail)};
}

void Machine::finish_cancelled() {
  const bool interrupted = cancel_->by == CancelAsked::By::kInterrupt;
  finish(TaskState::kCancelled, interrupted ? EndReason::kInterrupted : EndReason::kTerminated);
}

}  // namespace orch::task
