#include "cli/awaited_session.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "event/event.h"
#include "event/exit_reason.h"
#include "store/state_file.h"

namespace orch::cli {
namespace {

constexpr int64_t kUnreadMs = 3000;  // a dialog still unread after this time is reported as it is

constexpr base::Words<Goal, 6> kGoals{{{Goal::kIdle, "idle"},
                                       {Goal::kWorking, "working"},
                                       {Goal::kWaiting, "waiting"},
                                       {Goal::kError, "error"},
                                       {Goal::kExited, "exited"},
                                       {Goal::kComplete, "complete"}}};

bool is_there(Goal goal, const wire::StatusReport& report) {
  using event::AgentStatus;
  // After an interruption by hand the agent is at its prompt, but waits for the user to go on.
  // That counts as idle.
  const bool interrupted = report.status == AgentStatus::kWaiting &&
                           report.cause == event::Cause::kNone && !report.dialog;
  const bool rests = (event::accepts_input(report.status) || interrupted) && report.pending == 0;
  switch (goal) {
    case Goal::kIdle:
      return rests;
    case Goal::kWorking:
      return report.status == AgentStatus::kWorking;
    case Goal::kWaiting:
      // A caller that waits for a dialog wants to answer it, so the dialog has to be read first.
      // One that cannot be read is reported after a while.
      return report.status == AgentStatus::kWaiting &&
             (report.dialog || interrupted || report.ms - report.since_ms >= kUnreadMs);
    case Goal::kError:
      return report.status == AgentStatus::kError;
    case Goal::kExited:
    case Goal::kComplete:
      return false;  // on_end() decides that
  }
  return false;
}

}  // namespace

base::Result<Goals> goals_in(const std::string& text) {
  Goals goals;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    // `orch run --until exit` uses that word for a whole run.
    const std::string given = text.substr(at, end - at);
    const auto goal = base::value_of(kGoals, given == "exit" ? std::string_view("exited") : given);
    if (!goal) {
      return base::usage_error("--until " + base::printable(text) + ": there is no \"" +
                               base::printable(given) +
                               "\"; write idle, working, waiting, error, exited or complete, or "
                               "several of them with commas");
    }
    goals.insert(*goal);
    at = end + 1;
  }
  return goals;
}

bool is_reached_by_end(const Goals& goals, int code) {
  return goals.contains(Goal::kExited) || code == 0;
}

int code_of_ended(const store::RunFolder& run) {
  const store::Found<store::RunResult> result = store::result_of(run);
  if (result.is_unknown()) (void)ui::report(result.error());
  return result.is_present() ? result->code : event::exit_code(event::ExitReason::kInternal);
}

AwaitedSession::AwaitedSession(loop::Loop& loop, Goals goals, store::RunFolder run,
                               std::function<void()> on_decided)
    : loop_(loop),
      goals_(std::move(goals)),
      run_(std::move(run)),
      on_decided_(std::move(on_decided)),
      silence_(loop),
      coming_(loop),
      unread_(loop) {}

base::Status AwaitedSession::begin(const std::string& state_dir,
                                   const store::SessionRecord& session) {
  state_dir_ = state_dir;
  session_ = session;
  auto client = client::Client::connect(loop_, state_dir, session);
  if (!client) return client.error();
  client_ = std::move(client).value();
  client_->follow({.events = true, .raw = false}, *this, client::kNoDeadline);
  ask();
  return base::Ok{};
}

void AwaitedSession::on_event(std::string_view json) {
  const std::optional<event::Record> record = event::parse_record(json);
  if (!record || !std::holds_alternative<event::Output>(record->event)) ask();
}

void AwaitedSession::on_end(std::string_view result) {
  const base::Result<store::RunResult> ended = store::run_result_from_json(result);
  const int code = ended ? ended->code : kNoSuchSession;
  state_text_ = ended ? event::name(ended->reason) : "ended";
  decide(is_reached_by_end(goals_, code) ? State::kReached : State::kMissed, code);
}

// The session may be just beginning, or have ended while we connected, before the host could report
// it.
void AwaitedSession::on_lost(const base::Error& error) {
  const store::Presence runs = still_runs();
  if (runs.is_unknown()) return decide(State::kMissed, decided() ? 0 : ui::report(runs.error()));
  if (error.code == base::ErrorCode::kNotFound && runs.is_present() &&
      store::result_of(run_).is_absent()) {
    return coming_.start(kTurnLookMs, [this] { come_again(); });
  }
  if (goals_.contains(Goal::kExited) && runs.is_absent()) {
    state_text_ = "ended";
    return decide(State::kReached, code_of_ended(run_));
  }
  decide(State::kMissed, decided() ? 0 : report_no_session(error));
}

store::Presence AwaitedSession::still_runs() const {
  const store::Found<store::SessionRecord> now = store::session_of(state_dir_, session_.key);
  if (now.is_unknown()) return now.error();
  const bool runs =
      now.is_present() && now->status == store::SessionStatus::kRunning && now->run == session_.run;
  return runs ? store::Presence(base::Ok{}) : store::Presence::absent();
}

void AwaitedSession::come_again() {
  asking_ = again_ = false;
  if (begin(state_dir_, session_)) return;
  on_lost(
      {base::ErrorCode::kNotFound, "session " + session_.name + " has ended: its host is gone"});
}

// Asks for the status. There is one request at a time; events before its answer make it ask again.
void AwaitedSession::ask() {
  if (decided()) return;
  if (asking_) {
    again_ = true;
    return;
  }
  asking_ = true;
  silence_.start(client::kAnswerMs, [this] {
    std::fprintf(stderr, "orch: %s; orch waits on\n",
                 base::printable(client_->no_answer(client::kAnswerMs).text).c_str());
  });
  const auto on_answer = [this](const base::Result<wire::Answer>& answer) {
    asking_ = false;
    silence_.stop();
    if (!answer) return;  // on_lost() is called
    if (const auto* report = std::get_if<wire::StatusReport>(&answer->result)) consider(*report);
    if (std::exchange(again_, false)) ask();
  };
  client_->request(wire::AskStatus{}, on_answer, client::kNoDeadline);
}

void AwaitedSession::consider(const wire::StatusReport& report) {
  report_ = report;
  const bool reached =
      std::any_of(goals_.begin(), goals_.end(), [&](Goal goal) { return is_there(goal, report); });
  if (!reached) {
    const bool is_unread =
        goals_.contains(Goal::kWaiting) && report.status == event::AgentStatus::kWaiting;
    if (is_unread) unread_.start(kTurnLookMs, [this] { ask(); });
    return;
  }
  state_text_ = event::status_text(report.status, report.cause);
  decide(State::kReached, 0);
}

void AwaitedSession::decide(State state, int exit_code) {
  if (decided()) return;
  state_ = state;
  exit_code_ = exit_code;
  on_decided_();
}

}  // namespace orch::cli
