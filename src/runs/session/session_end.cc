// The end of a session: the agent goes, its work is checked, and the verdict is written down.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/log.h"
#include "event/exit_reason.h"
#include "mask/text.h"
#include "session/last_line.h"
#include "session/session.h"
#include "store/issue_name.h"
#include "store/run_dir.h"
#include "store/session_file.h"

namespace orch::session {

using base::Status;

namespace {

// How long a headless agent may take to leave after the end of its input.
constexpr int64_t kLeavingMs = 3'000;
// The longest time for an end that was asked for at once.
constexpr int64_t kAtOnceMs = 9'000;
constexpr int64_t kHurryMs = 2'000;      // for an enclosure and for git
constexpr int64_t kHurryDiskMs = 8'000;  // after that the unwritten files are lost for good
// Some seconds more than the enclosure's own limit, and than those of Checks.
constexpr int64_t kEnclosureMs = 30'000;
constexpr int64_t kEndKeptMs = 2 * 60'000 + kAtOnceMs;
constexpr int64_t kWorktreeMs = 5 * 60'000 + kAtOnceMs;
// A disk that has not taken a single file in so long is given up.
constexpr int64_t kDiskMs = 2 * 60'000;

}  // namespace

void Session::set_up_checks() {
  checks_.emplace(
      loop_, setup_, *agent_, dir_, log_->git_before(),
      Checks::Told{
          .on_gate =
              [this](run::GateEnd end, const std::string& log) {
                log_->keep_gate(end.n, log);
                machine_.on_gate(now(), std::move(end));
                pump();
              },
          .on_locked = [this] { sink_.on_note("a gate waits: another run has its --gate-lock"); },
          .on_changes =
              [this](run::Changes changes) {
                machine_.on_changes(now(), std::move(changes));
                pump();
              },
          .on_kept = [this] { leave_worktree(); },
          .on_left =
              [this](store::WorktreeEnd left) {
                result_.worktree = std::move(left);
                end_run();
              }});
}

// A run whose agent could not be started is recorded, so that its request and the reason can be
// looked up like those of any other run.
void Session::keep_failed_start(const base::Error& why) {
  const event::ExitReason reason = event::reason_of(why.code);
  describe(reason, event::exit_code(reason), why.text);
  const Status written = log_->finish_at_once(result_);
  start_kept_ = written.ok();
  if (!written) base::log_warn("session", written.error().text, dir_.id());
  if (start_kept_ && setup_.on_not_started) setup_.on_not_started(result_);
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
  await_end(order);
  agent_->source().stop(std::move(order));
}

// The source itself ends the agent step by step, and reports it even if SIGKILL does not end it.
// This wait is for a source that fails to report.
void Session::await_end(const StopOrder& order) {
  const bool at_once = order.term_ms == 0;
  if (at_once && last_resort_.waits()) return last_resort_.hurry(kAtOnceMs);
  const pid_t pid = agent_pid();
  const int64_t at_most = (at_once ? 0 : order.quit_ms + order.term_ms) + kAtOnceMs;
  const std::string what =
      pid > 0 ? "the end of its agent's process, pid " + std::to_string(pid) : "its agent's end";
  last_resort_.wait_for(what, at_most, [this, pid] {
    base::log_error("session", "no report of the agent's end; it is left", dir_.id());
    on_end({.left = pid});
  });
}

void Session::on_signal(int signum) {
  ++asked_to_end_;
  if (has_verdict()) return asked_to_end_ > 1 ? hurry() : void();
  note_cancelled();
  machine_.on_signal(signum);
  pump();
}

void Session::kill(bool at_once) {
  ++asked_to_end_;
  if (has_verdict()) return at_once || asked_to_end_ > 1 ? hurry() : void();
  note_cancelled();
  machine_.on_kill(at_once || asked_to_end_ > 1);
  pump();
}

// Somebody asks for the end again after the verdict: the remaining steps are cut short.
void Session::hurry() {
  hurried_ = true;
  last_resort_.hurry(phase_ == Phase::kEnded ? kHurryDiskMs : kHurryMs);
}

// The limit of a wait after the verdict: it may exceed the run's time limit by kAtOnceMs at most.
int64_t Session::within_time_limit(int64_t at_most_ms) const {
  if (setup_.plan.timeout_ms == 0) return at_most_ms;
  return std::min(at_most_ms, std::max<int64_t>(setup_.plan.timeout_ms - now(), 0) + kAtOnceMs);
}

void Session::note_cancelled() {
  if (!result_.cancelled_at)
    result_.cancelled_at = store::rfc3339_utc(std::chrono::system_clock::now());
}

void Session::perform(const run::FindChanges& /*find*/) {
  checks_->find_changes(setup_.plan.gates.timeout_ms);
}

void Session::perform(const run::RunGate& gate) { checks_->run_gate(gate); }

void Session::perform(const run::EndChecks& /*end*/) { checks_->end(); }

void Session::note_fix_turns() {
  while (noted_fixes_ < machine_.fixes()) {
    sink_.on_note("the agent is asked to fix that: fix turn " + std::to_string(++noted_fixes_) +
                  " of " + std::to_string(setup_.plan.gates.fix_turns));
  }
}

// `orch internal launch` starts no agent if its fence could not be raised, or if a needed snapshot
// could not be taken.
void Session::fail_if_not_started() {
  const AgentFence* fence = agent_->fence();
  if (has_verdict() || fence == nullptr) return;
  if (const std::string why = fence->why_not_raised(); !why.empty()) {
    return machine_.on_failure("not started: " + why);
  }
  if (!fence->lacks_snapshot()) return;
  const std::string note = fence->snapshot_note();
  machine_.on_failure(
      "not started: " + (note.empty() ? "there is no snapshot for orch undo" : note) +
      "; --no-snapshot starts it without");
}

void Session::on_end(pty::ExitStatus status) {
  if (is_over()) return;  // the agent was given up before
  watches_->on_process_end();
  tick_.stop();
  keyboard_.stop();
  last_resort_.came();
  leave_timer_.stop();
  if (status.code == kCannotLaunch) fail_if_not_started();
  if (agent_->wants_restart(status) && restart()) return;
  last_screen_ = driver_->text();
  last_line_ = last_line_of(*driver_, setup_.secrets);
  if (agent_->has_process() && driver_->on_process_end(now(), status.code, status.signal) &&
      phase_ == Phase::kRunning) {
    agent_->end_turn();
    return pump();
  }
  end_gateway();
  driver_->on_exit(now());
  take_news();
  end_turn();
  agent_end_ = status;
  // A check that is running belongs to the run, too: then the run's processes are killed when it is
  // over.
  rest_ended_ = !checks_->busy();
  if (rest_ended_) agent_->end_the_rest();
  if (on_reset_) {
    std::exchange(on_reset_, nullptr)(base::Error{base::ErrorCode::kNotFound, "the session ended"});
  }
  phase_ = Phase::kGone;
  machine_.on_exit(now(), status.code, status.left != 0 ? SIGKILL : status.signal);
  pump();
}

// The agent has ended, the checks are over, and the verdict is made.
void Session::on_verdict() {
  checks_->end();
  agent_->finish();
  // Also the processes that got away from a gate.
  if (!rest_ended_ || !machine_.gates().empty()) agent_->end_the_rest();
  tick_.stop();
  if (const AgentFence* fence = agent_->fence()) {
    if (fence->plan().layers.any()) {
      result_.sandbox = {fence::names(fence->plan().layers), fence::to_text(fence->plan().network),
                         fence->changed(), refused_paths(), refused_reach_.hosts()};
    }
    result_.snapshot = fence->snapshot();
    if (!fence->lacks_snapshot()) result_.snapshot_note = fence->snapshot_note();
  }
  if (setup_.enclosure) {
    result_.sandbox = {
        {std::string(setup_.enclosure->kind())},
        std::string(setup_.enclosure->network()),
        agent_->fence() != nullptr ? agent_->fence()->changed() : std::vector<std::string>{},
        {},
        {}};
  }
  log_->note_head();
  phase_ = Phase::kLeaving;
  conclude(agent_end_);
  // The enclosure is closed first, because its processes work in the worktree.
  if (!setup_.enclosure) return leave();
  last_resort_.wait_for("its container to be removed", within_time_limit(kEnclosureMs),
                        [this] { leave(); });
  setup_.enclosure->close([this] { leave(); });
}

// The closed files that the agent wanted to read or to log in with.
std::vector<std::string> Session::refused_paths() const {
  std::vector<std::string> paths =
      refused_reads_ ? refused_reads_->paths() : std::vector<std::string>();
  for (const std::string& credential : refused_reach_.credentials()) {
    if (std::find(paths.begin(), paths.end(), credential) == paths.end()) {
      paths.push_back(credential);
    }
  }
  return paths;
}

void Session::leave() {
  if (std::exchange(enclosure_left_, true)) return;  // the wait was given up before
  last_resort_.came();
  if (result_.snapshot.empty()) return leave_worktree();
  last_resort_.wait_for("the state of its folder to be kept", within_time_limit(kEndKeptMs),
                        [this] {
                          checks_->end();
                          leave_worktree();
                        });
  checks_->keep_end();
}

void Session::leave_worktree() {
  last_resort_.came();
  if (!setup_.worktree) return end_run();
  if (store::status_after(result_.reason) != store::RunStatus::kCompleted) {
    return keep_worktree("the run has not completed");
  }
  last_resort_.wait_for("git to remove its worktree", within_time_limit(kWorktreeMs), [this] {
    checks_->end();
    keep_worktree("it was not removed in time");
  });
  checks_->leave_worktree();
}

void Session::keep_worktree(std::string why) {
  result_.worktree = store::WorktreeEnd{.path = setup_.worktree->path,
                                        .branch = setup_.worktree->branch,
                                        .kept = true,
                                        .why = std::move(why),
                                        .branch_kept = true};
  end_run();
}

void Session::end_run() {
  phase_ = Phase::kEnded;
  await_disk();
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
  result_.ended = store::rfc3339_utc(std::chrono::system_clock::now());
  result_.duration_ms = now();
  if (setup_.record.keep) result_.recording = dir_.recording_file();
}

// The agent's own last words on why it ended against the run's will. Not those of an agent with a
// screen that was asked to end after an error: the last line of its screen is its farewell.
std::string Session::last_complaint() const {
  using event::ExitReason;
  const ExitReason reason = machine_.verdict().reason;
  const bool left = reason == ExitReason::kAgentFailed || reason == ExitReason::kAgentSignal ||
                    reason == ExitReason::kExitedEarly;
  const bool erred = reason == ExitReason::kAgentError && setup_.mode == Mode::kHeadless;
  if (!(left || erred) || last_line_.empty() || !setup_.record.keep) return "";
  return ": " + last_line_;
}

// The user's remedy if the login was refused.
std::string Session::login_hint() const {
  const bool refused = machine_.verdict().reason == event::ExitReason::kAgentError &&
                       cause_at_end_ == event::Cause::kAuth;
  const std::string& how = setup_.manifest->login.how;
  return refused && !how.empty() ? "; to log in: " + how : "";
}

// Requests that are still under way are counted, and end.
void Session::end_gateway() {
  if (!gateway_) return;
  const std::string used = gateway_->end();
  if (!used.empty()) sink_.on_note("gateway: " + used);
  gateway_.reset();
}

void Session::conclude(pty::ExitStatus status) {
  store::remove_servers(dir_.path());
  const run::Verdict& verdict = machine_.verdict();
  describe(verdict.reason, run::exit_code(verdict),
           verdict.detail + last_complaint() + login_hint());
  result_.answers = verdict.answers;
  if (status.left != 0) {
    result_.detail += (result_.detail.empty() ? "" : "; ") + std::string("its process, pid ") +
                      std::to_string(status.left) + ", cannot be ended";
  } else if (status.signal != 0) {
    result_.agent_signal = status.signal;
  } else {
    result_.agent_exit_code = status.code;
  }
  result_.retry_after_s = verdict.retry_after_s;
  // If the run was not cancelled after all, the request to end it came too late.
  if (store::status_after(verdict.reason) != store::RunStatus::kCancelled) {
    result_.cancelled_at.reset();
  }
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
  result_.output = masked(machine_.output());
  if (const auto& changes = machine_.changes()) {
    result_.changes = {changes->unknown, changes->head_moved, changes->files, changes->paths};
    for (std::string& path : result_.changes->paths) path = masked(path);
  }
  // File names come from the agent, so they may contain secrets.
  result_.snapshot_note = masked(result_.snapshot_note);
  if (result_.sandbox) {
    for (std::string& path : result_.sandbox->changed) path = masked(path);
    for (std::string& path : result_.sandbox->refused) path = masked(path);
    for (std::string& host : result_.sandbox->unreached) host = masked(host);
  }
  result_.usage = machine_.usage();
  if (setup_.plan.check_calls) {
    const run::Machine::CallCounts& calls = machine_.calls();
    result_.calls = {calls.decided, calls.denied, calls.asked};
  }
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

// The wait begins anew whenever the disk has taken another file.
void Session::await_disk() {
  files_taken_ = log_->files_taken();
  last_resort_.wait_for("the disk to take its record", within_time_limit(kDiskMs),
                        [this] { leave_disk(); });
  if (hurried_) hurry();
}

// If somebody is in a hurry, or the run's time is over, the run keeps its verdict although its
// record is incomplete.
void Session::leave_disk() {
  const bool limited = setup_.plan.timeout_ms > 0 && now() >= setup_.plan.timeout_ms;
  if (!hurried_ && log_->files_taken() != files_taken_) return await_disk();
  base::log_error("session", "the disk has not taken the run's record, which is left", dir_.id());
  log_->leave_disk();
  if (hurried_ || limited) return on_written(base::Ok{});
  on_written(base::Error{base::ErrorCode::kSystem, "the disk has not taken the run's record"});
}

void Session::on_written(const Status& written) {
  last_resort_.came();
  if (!written && result_.reason != event::ExitReason::kInternal) {
    result_.reason = event::ExitReason::kInternal;
    result_.code = event::exit_code(result_.reason);
    result_.detail = written.error().text;
  }
  if (setup_.guardian != nullptr) setup_.guardian->release(dir_.id(), agent_->leave_cgroup());
  const auto on_ended = std::move(on_ended_);
  on_ended();
}

}  // namespace orch::session
