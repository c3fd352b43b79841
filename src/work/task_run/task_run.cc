#include "task_run/task_run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <type_traits>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "fence/grant.h"
#include "store/runs.h"
#include "store/session_file.h"
#include "store/time_text.h"
#include "task/journal.h"
#include "task/task_note.h"
#include "task_run/note_file.h"
#include "task_run/repo_facts.h"

namespace orch::task_run {
namespace {

using base::Result;
using base::Status;
using task::TimeMs;

constexpr int64_t kLostRunMs = 60'000;
constexpr int64_t kLookMs = 100;
constexpr int64_t kClockMs = 1'000;

std::string now_text() { return store::rfc3339_utc(std::chrono::system_clock::now()); }

std::string seconds(int64_t ms) { return std::to_string((ms + 500) / 1'000) + " s"; }

std::string changes_of(const task::WorkerEnd& end) {
  if (!end.changes_unknown.empty()) return "";
  return ", " + std::to_string(end.files) + (end.files == 1 ? " file" : " files") + " changed" +
         (end.commit ? " and a commit" : "");
}

// How many questions were answered, or have failed. A withdrawn question is asked anew, so it does
// not count.
size_t answered_in(const std::vector<task::JournalEntry>& entries) {
  size_t answered = 0;
  bool cancelled = false;
  for (const task::JournalEntry& entry : entries) {
    const task::Event* event = std::get_if<task::Event>(&entry.what);
    if (event == nullptr) continue;
    if (std::holds_alternative<task::CancelAsked>(*event)) cancelled = true;
    if (std::holds_alternative<task::Resumed>(*event)) cancelled = false;
    const bool failed = std::holds_alternative<task::AskFailed>(*event) && !cancelled;
    if (failed || std::holds_alternative<task::Answered>(*event)) ++answered;
  }
  return answered;
}

}  // namespace

TaskRun::TaskRun(loop::Loop& loop, const TaskSetup& setup, TaskFolder& folder, Say say)
    : loop_(loop),
      setup_(setup),
      folder_(folder),
      say_(std::move(say)),
      machine_(setup.spec, setup.prd),
      place_words_(setup.place),
      answer_timer_(loop),
      soon_(loop),
      clock_timer_(loop),
      begun_ms_(loop.now_ms()),
      started_(now_text()) {}

TaskRun::~TaskRun() = default;

TimeMs TaskRun::now() const { return base_ms_ + loop_.now_ms() - begun_ms_; }

Status TaskRun::take_up(const std::vector<task::JournalEntry>& entries) {
  const std::string journal = folder_.path() + "/journal.jsonl";
  if (entries.empty()) return base::Ok{};  // orch died before it wrote the first line
  started_ = entries.front().time;
  Result<task::Replayed> replayed = task::replay(entries, journal, machine_);
  if (!replayed) return replayed.error();
  base_ms_ = std::max(replayed->ms, folder_.read_clock());
  told_decisions_ = machine_.facts().decisions.size();
  answered_ = answered_in(entries);
  const task::TaskState state = machine_.state();
  if (!machine_.can_go_on()) {
    // If orch died after the end and before the note, the note is written now.
    (void)write_note(entries.back().time, base_ms_);
    return base::usage_error("task " + folder_.id() + " has ended: " + std::string(name(state)) +
                             "; orch task FILE begins anew");
  }
  resumes_ = state != task::TaskState::kPending;
  is_opened_ = true;
  const std::optional<task::Command>& open = machine_.open_step();
  if (!open || !replayed->step_begun || std::holds_alternative<task::Ask>(*open)) return base::Ok{};
  const task::StepBegun step = begun(*open);
  const bool works = step.step == "worker";
  const std::string issue =
      works ? worker_issue(folder_.id(), step.n) : test_issue(folder_.id(), step.n);
  lost_run_ = LostRun{issue, store::session_key(issue, setup_.place.repository), works};
  return base::Ok{};
}

// The end of the worker run that was under way when orch died, according to its record.
task::WorkerEnd TaskRun::interrupted_end() const {
  const std::string issue =
      worker_issue(folder_.id(), static_cast<int>(machine_.facts().runs.size()));
  RunEnd found;
  const Result<std::vector<store::RunFolder>> runs = store::run_folders(setup_.place.state_dir);
  for (const store::RunFolder& run : runs ? *runs : std::vector<store::RunFolder>()) {
    if (run.issue != issue) continue;
    const store::ReadRecord read = store::read_record(run);
    if (read.state == store::RecordState::kNotBegun) continue;
    const bool is_whole = read.state == store::RecordState::kWhole;
    const std::string began =
        is_whole ? read.record.started : store::rfc3339_utc(store::time_in_name(run));
    if (began < started_) continue;  // the run belongs to an earlier task of that name
    found.run = run.id;
    store::Found<store::RunResult> result = store::result_of(run);
    if (result.is_unknown()) found.complaint = result.error().text;
    found.result = std::move(result).if_present();
    if (found.result) found.ms = found.result->duration_ms;
  }
  if (!runs) found.complaint = runs.error().text;
  const std::string unread = found.complaint;
  task::WorkerEnd end = worker_end(std::move(found));
  end.reason = "interrupted";
  end.detail = "orch died while the worker ran" + (unread.empty() ? "" : "; " + unread);
  end.code = event::exit_code(event::ExitReason::kTerminated);
  return end;
}

Status TaskRun::start(OnEnd on_end) {
  on_end_ = std::move(on_end);
  Result<std::unique_ptr<meta::Provider>> provider = setup_.make_provider(loop_, answered_);
  if (!provider) return provider.error();
  provider_ = std::move(provider).value();
  await_lost_run(loop_.now_ms() + kLostRunMs);
  return base::Ok{};
}

void TaskRun::await_lost_run(int64_t give_up_ms) {
  if (!lost_run_) return open_place();
  const store::Presence host = store::host_of(setup_.place.state_dir, lost_run_->key);
  if (host.is_absent()) return open_place();
  if (loop_.now_ms() < give_up_ms) {
    return soon_.start(kLookMs, [this, give_up_ms] { await_lost_run(give_up_ms); });
  }
  const std::string& issue = lost_run_->issue;
  const OnEnd on_end = std::exchange(on_end_, nullptr);
  if (host.is_unknown()) return on_end(host.error());
  on_end(base::usage_error("the run " + issue + " of the orch that died still goes on: orch kill " +
                           issue));
}

void TaskRun::open_place() {
  if (lost_run_ && lost_run_->is_worker) lost_ = interrupted_end();
  lost_run_.reset();
  place_ = setup_.make_place(loop_);
  place_->open({[this](Status status) { on_place_open(std::move(status)); },
                [this](const std::string& why) { on_place_lost(why); }});
}

// A task that is stopped before its place is open still begins, so that its journal and its note
// say so. If the place opens afterwards, that is ignored.
void TaskRun::on_place_open(Status status) {
  if (begun_ || outcome_) return;
  place_words_.sandbox_words = place_->run_words();
  if (!is_opened_) {
    task::JournalEntry opened{now(), now_text(), task::Opened{folder_.id(), setup_.place.repo}};
    task::JournalEntry read_back;
    if (Status s = record(opened, read_back); !s && status) status = s;
  }
  if (!status) return tell(task::Failed{status.error().text});
  begin();
}

void TaskRun::begin() {
  begun_ = true;
  keep_clock();
  if (resumes_) {
    say_("goes on: " + std::string(name(machine_.state())));
    tell(task::Resumed{std::exchange(lost_, {})});
  } else {
    tell(task::Begun{repo_facts(setup_.place.repo)});
  }
}

// Writes the time regularly, so that the time of a step that orch does not survive is not lost.
void TaskRun::keep_clock() {
  folder_.write_clock(now());
  clock_timer_.start(kClockMs, [this] { keep_clock(); });
}

void TaskRun::on_place_lost(const std::string& why) {
  if (outcome_) return;
  run_.reset();
  tell(task::Failed{why});
}

Status TaskRun::record(const task::JournalEntry& entry, task::JournalEntry& read_back) {
  Result<task::JournalEntry> read = task::parse_entry(task::to_json(entry));
  if (!read) return read.error();
  read_back = std::move(read).value();
  return folder_.append(entry);
}

void TaskRun::tell(const task::Event& event) {
  if (outcome_) return;
  task::JournalEntry read_back;
  const Status recorded = record({now(), now_text(), event}, read_back);
  if (recorded) {
    machine_.on(read_back.ms, std::get<task::Event>(read_back.what));
  } else {
    machine_.on(now(), task::Event(task::Failed{recorded.error().text}));
  }
  say_about(event);
  for (const task::Command& command : machine_.take_commands()) {
    if (!machine_.end()) carry_out(command);
  }
  if (machine_.end()) conclude();
}

void TaskRun::carry_out(const task::Command& command) {
  if (std::holds_alternative<task::EndStep>(command)) return end_step();
  task::JournalEntry read_back;
  const Status recorded = record({now(), now_text(), begun(command)}, read_back);
  if (!recorded) return fail_soon(task::Failed{recorded.error().text});
  std::visit(
      [this](const auto& step) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(step)>, task::EndStep>) carry_out(step);
      },
      command);
}

// Feeds the machine from the loop, because it must not get an event while its commands are carried
// out.
void TaskRun::fail_soon(task::Event event) {
  soon_.start(0, [this, event = std::move(event)] { tell(event); });
}

void TaskRun::carry_out(const task::Ask& ask) {
  say_("asks the meta-agent: " + std::string(name(ask.kind)));
  if (Status s = folder_.write_question(ask.n, ask.text); !s) {
    return fail_soon(task::Failed{s.error().text});
  }
  put(ask);
}

void TaskRun::put(const task::Ask& ask) {
  answer_timer_.start(ask.timeout_ms, [this, n = ask.n, timeout = ask.timeout_ms] {
    provider_.reset();
    tell(task::AskFailed{n, "the meta-agent did not answer within " + seconds(timeout)});
  });
  provider_->ask(
      {ask.text.instructions, ask.text.document},
      [this, n = ask.n](Result<meta::Answer> answer) { on_answer(n, std::move(answer)); });
}

void TaskRun::on_answer(int n, Result<meta::Answer> answer) {
  answer_timer_.stop();
  if (const auto limit_ms = answer ? std::nullopt : provider_->limit_ms()) {
    return wait_for_limit(n, *limit_ms, answer.error().text);
  }
  if (!answer) return tell(task::AskFailed{n, answer.error().text});
  std::string text = std::move(answer->text);
  if (text.size() > task::kMaxAnswerBytes) text.resize(task::kMaxAnswerBytes + 1);
  tell(task::Answered{n, std::move(text), answer->usage});
}

void TaskRun::wait_for_limit(int n, int64_t limit_ms, const std::string& why) {
  const std::optional<int64_t> left = machine_.remaining(now()).time_ms;
  if (left && *left <= limit_ms) return tell(task::AskFailed{n, why, true});
  say_("the meta-agent is at its limit, and is asked again in " + seconds(limit_ms) + ": " + why);
  answer_timer_.start(limit_ms, [this] {
    if (const auto& open = machine_.open_step()) {
      if (const auto* ask = std::get_if<task::Ask>(&*open)) put(*ask);
    }
  });
}

// Checks a working folder that the meta-agent has chosen: a symbolic link in it could lead
// anywhere.
Status TaskRun::check_workdir(const task::Work& work) const {
  if (!work.call.workdir) return base::Ok{};
  const Result<fence::Grant> repo = fence::grant(setup_.place.repo, {});
  const Result<fence::Grant> folder = repo ? fence::grant_beneath(*repo, *work.call.workdir) : repo;
  if (folder && folder->inode != 0) return base::Ok{};
  return base::usage_error("worker_call.workdir: " + base::printable(*work.call.workdir) +
                           " is not a folder of the repository" +
                           (folder ? "" : ": " + folder.error().text));
}

void TaskRun::carry_out(const task::Work& work) {
  if (Status s = check_workdir(work); !s) return fail_soon(task::Failed{s.error().text});
  if (Status s = folder_.write_prompt(work.n, task::worker_prompt(work.call.prompt, setup_.prd));
      !s) {
    return fail_soon(task::Failed{s.error().text});
  }
  const Result<RunWords> words =
      worker_words(place_words_, setup_.spec, setup_.agent, work.call, work.n,
                   folder_.prompt_file(work.n), work.timeout_ms, setup_.variables);
  Status started = words
                       ? start_run(*words, work.timeout_ms,
                                   [this, n = work.n](RunEnd end) { on_worked(n, std::move(end)); })
                       : Status(words.error());
  if (!started) return fail_soon(task::Failed{started.error().text});
  say_("worker run " + std::to_string(work.n) + ": orch attach " +
       worker_issue(folder_.id(), work.n));
}

void TaskRun::carry_out(const task::RunTests& tests) {
  const RunWords words = test_words(place_words_, setup_.spec, tests.n, tests.timeout_ms);
  const Status started = start_run(words, tests.timeout_ms,
                                   [this, n = tests.n](const RunEnd& end) { on_tested(n, end); });
  if (!started) fail_soon(task::Failed{started.error().text});
}

Status TaskRun::start_run(const RunWords& words, int64_t timeout_ms,
                          std::function<void(RunEnd)> on_end) {
  Result<std::unique_ptr<TaskStep>> run =
      setup_.start_run(loop_, words, setup_.place.state_dir, timeout_ms, std::move(on_end));
  if (!run) return run.error();
  run_ = std::move(run).value();
  return base::Ok{};
}

void TaskRun::on_worked(int n, RunEnd end) {
  run_.reset();
  tell(task::Worked{n, worker_end(std::move(end))});
}

void TaskRun::on_tested(int n, const RunEnd& end) {
  run_.reset();
  tell(task::Tested{n, test_end(end)});
}

void TaskRun::end_step() {
  if (run_) return run_->stop();
  const std::optional<task::Command>& open = machine_.open_step();
  const task::Ask* ask = open ? std::get_if<task::Ask>(&*open) : nullptr;
  if (ask == nullptr) return;
  answer_timer_.stop();
  provider_.reset();
  fail_soon(task::AskFailed{ask->n, "the question was taken back"});
}

void TaskRun::on_stop_signal(int signum) {
  if (outcome_) return finish();
  if (!place_) return leave_untouched(signum);
  if (!begun_) on_place_open(base::Ok{});
  if (outcome_) return;
  const bool again = machine_.is_cancelling();
  using By = task::CancelAsked::By;
  if (!again) return tell(task::CancelAsked{signum == SIGINT ? By::kInterrupt : By::kTerminate});
  if (run_) run_->stop();
}

// Stops during the wait for an earlier orch's run: nothing is changed, so the task can be continued
// as before.
void TaskRun::leave_untouched(int signum) {
  using task::EndReason;
  outcome_.emplace();
  outcome_->end = {task::TaskState::kCancelled,
                   signum == SIGINT ? EndReason::kInterrupted : EndReason::kTerminated,
                   "before the run " + (lost_run_ ? lost_run_->issue : "") + " had ended"};
  outcome_->folder = folder_.path();
  outcome_->started = started_;
  outcome_->ended = now_text();
  outcome_->worked_ms = base_ms_;
  soon_.start(0, [this] { finish(); });
}

void TaskRun::say_about(const task::Event& event) {
  if (const auto* worked = std::get_if<task::Worked>(&event)) {
    const task::WorkerEnd& end = worked->end;
    say_("worker run " + std::to_string(worked->n) + " ended: " + end.reason + " after " +
         seconds(end.ms) + changes_of(end) +
         (end.succeeded() || end.detail.empty() ? "" : ": " + end.detail));
  } else if (const auto* tested = std::get_if<task::Tested>(&event)) {
    say_(tested->end.passed() ? "the tests pass"
                              : "the tests fail (" + std::to_string(tested->end.code) + ")");
  }
  const std::vector<task::Decision>& decisions = machine_.facts().decisions;
  for (; told_decisions_ < decisions.size(); ++told_decisions_) {
    const task::Decision& decision = decisions[told_decisions_];
    const std::string what(name(decision.action));
    const std::string why = decision.reason.empty() ? "" : ": " + decision.reason;
    say_(decision.refused.empty() ? what + why : "refused " + what + ": " + decision.refused);
  }
}

// Writes the note in the task's folder and the one in the repository; returns the path of the
// latter.
Result<std::string> TaskRun::write_note(const std::string& ended, task::TimeMs worked) {
  const std::string note = task::write_note(
      {setup_.spec, setup_.prd, machine_.facts(), *machine_.end(), started_, ended, worked});
  const Status kept = folder_.write_note(note);
  Result<std::string> path = write_note_file(setup_.place.repo, folder_.id(), note);
  if (!kept) base::log_warn("task", kept.error().text);
  return path;
}

void TaskRun::conclude() {
  if (outcome_) return;
  answer_timer_.stop();
  clock_timer_.stop();
  outcome_.emplace();
  outcome_->end = *machine_.end();
  outcome_->folder = folder_.path();
  outcome_->started = started_;
  outcome_->ended = now_text();
  outcome_->worked_ms = now();
  const Result<std::string> note = write_note(outcome_->ended, now());
  if (note) outcome_->note = *note;
  if (!note) outcome_->note_trouble = note.error().text;
  // The caller may belong to the destroyed objects, so this waits for the loop.
  soon_.start(0, [this] {
    provider_.reset();
    run_.reset();
    place_->close([this] { finish(); });
  });
}

void TaskRun::finish() {
  if (const OnEnd on_end = std::exchange(on_end_, nullptr)) on_end(*outcome_);
}

}  // namespace orch::task_run
