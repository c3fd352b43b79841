// The part of a session that is its end: the agent goes, what it did is checked, the verdict is
// written down.
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "event/exit_reason.h"
#include "mask/text.h"
#include "session/session.h"
#include "store/issue_name.h"
#include "store/session_file.h"

namespace orch::session {

using base::Status;

namespace {

// What a headless agent whose input has ended may take to leave.
constexpr int64_t kLeavingMs = 3'000;

store::TimePoint wall_clock() { return std::chrono::system_clock::now(); }

}  // namespace

void Session::set_up_checks() {
  checks_.emplace(loop_, setup_, *agent_, dir_, log_->git_before(),
                  Checks::Told{.on_gate =
                                   [this](run::GateEnd end, const std::string& log) {
                                     log_->keep_gate(end.n, log);
                                     machine_.on_gate(now(), std::move(end));
                                     pump();
                                   },
                               .on_changes =
                                   [this](run::Changes changes) {
                                     machine_.on_changes(now(), std::move(changes));
                                     pump();
                                   },
                               .on_left =
                                   [this](store::WorktreeEnd left) {
                                     result_.worktree = std::move(left);
                                     end_run();
                                   }});
}

// What was asked for, and why it did not come to it, can be looked up like any other run.
void Session::keep_failed_start(const base::Error& why) {
  const event::ExitReason reason = event::reason_of(why.code);
  describe(reason, event::exit_code(reason), why.text);
  const Status written = log_->finish_at_once(result_);
  start_kept_ = written.ok();
  if (setup_.worktree && setup_.worktree->created) (void)repo::leave_worktree(*setup_.worktree);
  if (!written) base::log_warn("session", written.error().text, dir_.id());
}

void Session::perform(const run::StopAgent& stop) {
  using Manner = run::StopAgent::Manner;
  base::log_info("session", "the agent is asked to end", dir_.id());
  driver_->on_stopping(now());
  phase_ = Phase::kStopping;
  resume_output();
  StopOrder order;
  switch (stop.manner) {
    case Manner::kPolitely:
      order.quit_bytes = driver_->quit_bytes();
      order.quit_ms = setup_.manifest->quit.wait_ms;
      if (!order.quit_bytes.empty()) log_->input(now(), order.quit_bytes);
      break;
    case Manner::kTerminate:
      break;
    case Manner::kNow:
      order.term_ms = 0;
      break;
  }
  if (setup_.mode == Mode::kHeadless) {
    if (!agent_->has_process()) return leave_timer_.start(0, [this] { on_end({}); });
    order.quit_ms = stop.manner == Manner::kPolitely ? kLeavingMs : 0;
  }
  agent_->source().stop(std::move(order));
}

void Session::on_signal(int signum) {
  if (has_verdict()) return;
  note_cancelled();
  machine_.on_signal(signum);
  pump();
}

void Session::kill(bool at_once) {
  if (has_verdict()) return;
  note_cancelled();
  machine_.on_kill(at_once);
  pump();
}

void Session::note_cancelled() {
  if (!result_.cancelled_at) result_.cancelled_at = store::rfc3339_utc(wall_clock());
}

void Session::perform(const run::FindChanges& /*find*/) {
  checks_->find_changes(setup_.plan.gates.timeout_ms);
}

void Session::perform(const run::RunGate& gate) { checks_->run_gate(gate); }

void Session::perform(const run::EndChecks& /*end*/) { checks_->end(); }

void Session::on_end(pty::ExitStatus status) {
  tick_.stop();
  keys_.stop();
  life_timer_.stop();
  look_timer_.stop();
  leave_timer_.stop();
  if (agent_->wants_restart(status) && restart()) return;
  last_screen_ = driver_->text();
  if (agent_->has_process() && driver_->on_process_end(now(), status.code, status.signal) &&
      phase_ == Phase::kRunning) {
    agent_->end_turn();
    return pump();
  }
  driver_->on_exit(now());
  take_news();
  end_turn();
  agent_end_ = status;
  agent_->finish();
  if (on_reset_) {
    std::exchange(on_reset_, nullptr)(base::Error{base::ErrorCode::kNotFound, "the session ended"});
  }
  phase_ = Phase::kGone;
  machine_.on_exit(now(), status.code, status.signal);
  pump();
}

// The agent is gone, and the verdict made.
void Session::on_verdict() {
  checks_->end();
  if (!machine_.gates().empty()) agent_->finish();  // what got away from a gate, after the agent
  tick_.stop();
  if (const AgentFence* fence = agent_->fence()) {
    if (fence->plan().layers.any()) {
      result_.sandbox = {fence::names(fence->plan().layers), fence::to_text(fence->plan().network),
                         fence->changed()};
    }
    result_.snapshot = fence->snapshot();
    result_.snapshot_note = fence->snapshot_note();
  }
  if (setup_.enclosure) {
    result_.sandbox = {
        {std::string(setup_.enclosure->kind())},
        std::string(setup_.enclosure->network()),
        agent_->fence() != nullptr ? agent_->fence()->changed() : std::vector<std::string>{}};
  }
  log_->finish_recording(now());
  log_->note_head();
  phase_ = Phase::kLeaving;
  conclude(agent_end_);
  // Before the worktree goes in which it works.
  if (setup_.enclosure) return setup_.enclosure->close([this] { leave(); });
  leave();
}

void Session::leave() {
  if (!setup_.worktree) return end_run();
  if (store::status_after(result_.reason) == store::RunStatus::kCompleted) {
    return checks_->leave_worktree();
  }
  result_.worktree = store::WorktreeEnd{.path = setup_.worktree->path,
                                        .branch = setup_.worktree->branch,
                                        .kept = true,
                                        .why = "the run has not completed",
                                        .branch_kept = true};
  end_run();
}

void Session::end_run() {
  phase_ = Phase::kEnded;
  agent_->source().part(stays() ? Parting::kKeep : Parting::kRemove);
  log_->finish(result_, last_screen_, [this](const Status& written) { on_written(written); });
}

void Session::describe(event::ExitReason reason, int code, const std::string& detail) {
  result_.run = dir_.id();
  result_.session = store::session_name(setup_.issue);
  result_.issue = setup_.issue;
  result_.agent = setup_.manifest->name;
  result_.reason = reason;
  result_.code = code;
  result_.status_at_end = status_at_end_;
  result_.cause = cause_at_end_;
  result_.detail = mask::masked(setup_.secrets, detail);
  result_.turns = machine_.turns();
  result_.messages_sent = machine_.messages_sent();
  result_.started = store::rfc3339_utc(started_);
  result_.ended = store::rfc3339_utc(wall_clock());
  result_.duration_ms = now();
  if (setup_.record.keep) result_.recording = dir_.recording_file();
}

// Why an agent without a screen ended against the run's will: its last row on standard error.
std::string Session::last_complaint() const {
  using event::ExitReason;
  constexpr size_t kMostBytes = 300;
  const ExitReason reason = machine_.verdict().reason;
  const bool against = reason == ExitReason::kAgentFailed || reason == ExitReason::kExitedEarly;
  if (!against || setup_.mode != Mode::kHeadless) return "";
  const std::string_view rows = base::trim(last_screen_);
  const std::string_view row = base::trim(rows.substr(rows.rfind('\n') + 1));
  return row.empty() ? "" : ": " + base::printable(row.substr(0, kMostBytes));
}

void Session::conclude(pty::ExitStatus status) {
  const run::Verdict& verdict = machine_.verdict();
  describe(verdict.reason, run::exit_code(verdict), verdict.detail + last_complaint());
  if (status.signal != 0) {
    result_.agent_signal = status.signal;
  } else {
    result_.agent_exit_code = status.code;
  }
  result_.retry_after_s = verdict.retry_after_s;
  const auto masked = [this](const std::string& text) {
    return mask::masked(setup_.secrets, text);
  };
  for (const run::GateEnd& gate : machine_.gates()) {
    result_.gates.push_back({.n = gate.n,
                             .command = masked(gate.command),
                             .code = gate.code,
                             .duration_ms = gate.ms,
                             .timed_out = gate.timed_out,
                             .output = gate.passed() ? "" : masked(gate.output)});
  }
  if (const auto& changes = machine_.changes()) {
    result_.changes = {changes->unknown, changes->head_moved, changes->files, changes->paths};
    for (std::string& path : result_.changes->paths) path = masked(path);
  }
  result_.usage = machine_.usage();
  result_.invalid_bytes = log_->invalid_bytes();
  base::log_info("session",
                 std::string(event::name(result_.reason)) + " (exit " +
                     std::to_string(result_.code) + ") after " +
                     std::to_string(result_.duration_ms) + " ms, " + std::to_string(result_.turns) +
                     " turns",
                 dir_.id());
}

bool Session::stays() const {
  return setup_.keep_errored_ms && store::status_after(result_.reason) == store::RunStatus::kFailed;
}

void Session::on_written(const Status& written) {
  if (!written && result_.reason != event::ExitReason::kInternal) {
    result_.reason = event::ExitReason::kInternal;
    result_.code = event::exit_code(result_.reason);
    result_.detail = written.error().text;
  }
  if (setup_.guardian != nullptr) setup_.guardian->release(dir_.id());
  const auto on_ended = std::move(on_ended_);
  on_ended();
}

}  // namespace orch::session
