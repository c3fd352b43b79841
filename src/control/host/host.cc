#include "host/host.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/log.h"
#include "event/exit_reason.h"
#include "host/heap.h"
#include "pty/containment.h"
#include "pty/file_limit.h"
#include "pty/process_identity.h"
#include "store/queued_session.h"
#include "store/time_text.h"

namespace orch::host {

using event::ExitReason;

namespace {

// How many descriptors a session takes: 10 for its terminal, pidfd, recording, logs, lock, socket
// and folder, two more if an init holds its run, and some for a gate, a headless turn's process or
// connections.
constexpr size_t kDescriptorsOfOne = 16;
// The free descriptors that a start needs, including those that are open for a moment only.
constexpr size_t kDescriptorsToStart = 22;
// The least number of peers that are served, whatever the sessions need: they may use a session's
// reserve.
constexpr size_t kFewestConnections = 8;
// All sessions together may have as many peers as this number of sessions could have alone.
constexpr size_t kMostHouses = 4;
// How many files of a long queue are written in one turn of the loop.
constexpr size_t kQueuedAtOnce = 32;

// The least number of sessions that may wait for a user without a slot. There is a limit because
// each of them is an agent that stays in memory.
constexpr size_t kFewestWithoutSlot = 8;

// In the environment of agents and gates: a number that no other running session of this host has,
// the least one that is free; for ports and databases of tests that run side by side.
constexpr std::string_view kSlotVariable = "ORCH_SLOT";

std::string key_of(const session::SessionSetup& setup) {
  return store::session_key(setup.issue, setup.repository);
}

}  // namespace

Host::Host(loop::Loop& loop, HostPlan plan, HostObserver& observer)
    : loop_(loop),
      observer_(observer),
      jobs_(plan.jobs == 0 ? plan.sessions.size() : plan.jobs),
      planned_(plan.sessions.size()),
      socket_folder_(std::move(plan.socket_folder)),
      crew_(plan.crew),
      waiting_(std::make_move_iterator(plan.sessions.begin()),
               std::make_move_iterator(plan.sessions.end())),
      heap_(loop),
      room_(kMaxConnections),
      on_worktree_(std::move(plan.on_worktree)),
      on_begun_(std::move(plan.on_begun)),
      worktrees_(std::make_unique<WorktreeDesk>(loop)),
      queueing_(loop),
      last_git_(loop) {}

Host::~Host() = default;

base::Status Host::start() {
  keep_flood_buffers();
  // Every session and peer needs a few: for connections, recordings, terminals.
  pty::raise_file_limit();
  if (base::Status s = pty::become_subreaper(); !s) return s;
  base::log_info("host", "orphans of its agents come to this process (subreaper)");
  auto guardian = pty::Guardian::start(loop_);
  if (!guardian) return guardian.error();
  guardian_ = std::move(guardian).value();
  orphans_ = std::make_unique<loop::SignalWatch>(loop_, SIGCHLD,
                                                 [this](int) { pty::reap_orphans(loop_); });
  const size_t most_at_once = std::min(planned_, jobs_ + most_without_slot());
  free_at_start_ = pty::free_descriptors(most_at_once * kDescriptorsOfOne);
  limit_connections(most_at_once);
  queued_since_ = store::rfc3339_utc(std::chrono::system_clock::now());
  start_waiting();
  queue_some();
  return base::Ok{};
}

// Descriptors that the sessions do not need are for their peers.
void Host::limit_connections(size_t most_at_once) {
  const size_t sessions =
      std::max<size_t>(1, std::min(most_at_once, free_at_start_ / kDescriptorsOfOne));
  const size_t needed = sessions * kDescriptorsOfOne + kDescriptorsToStart;
  const size_t most = std::min(sessions, kMostHouses) * kMaxConnections;
  const size_t free = pty::free_descriptors(needed + most);
  room_.set_most(std::max(kFewestConnections, free - std::min(free, needed)));
}

// Begins at the back, because the sessions at the front are starting.
void Host::queue_some() {
  for (size_t n = 0; n < kQueuedAtOnce && queued_at_back_ < waiting_.size(); ++n) {
    session::SessionSetup& setup = waiting_[waiting_.size() - 1 - queued_at_back_++];
    put_in_queue(setup);
  }
  if (queued_at_back_ < waiting_.size()) {
    queueing_.start(0, [this] { queue_some(); });
  } else {
    tell_begun();
  }
}

// If another session has the same place, queueing fails; the error is reported when this one is
// started.
void Host::put_in_queue(session::SessionSetup& setup) {
  guard_queue(setup.state_dir);
  store::SessionRecord record = queued_record_of(setup);
  record.started = queued_since_;
  setup.queued = store::queue_session(setup.state_dir, record).ok();
}

void Host::guard_queue(const std::string& state_dir) {
  if (!std::exchange(queue_guarded_, true)) guardian_->watch_queue(state_dir);
}

// Whether somebody has certainly taken the session out of the queue. If so, reports its end to the
// observer.
bool Host::was_taken(const session::SessionSetup& setup) {
  const bool taken =
      setup.queued && store::waits_for_us(setup.state_dir, key_of(setup)).is_absent();
  if (!taken) return false;
  observer_.on_ended(
      {setup.issue, event::exit_code(ExitReason::kKilled), {}, taken_from_queue().text});
  return true;
}

void Host::forget(const session::SessionSetup& setup) const {
  if (setup.queued) store::forget_queued(setup.state_dir, key_of(setup));
}

void Host::start_waiting() {
  if (starting_) return;
  starting_ = true;
  while (has_room() && !waiting_.empty()) {
    session::SessionSetup setup = std::move(waiting_.front());
    waiting_.pop_front();
    queued_at_back_ = std::min(queued_at_back_, waiting_.size());
    if (was_taken(setup)) continue;
    if (lacks_descriptors()) {
      put_off(std::move(setup), base::system_error("descriptors for one more session", EMFILE));
      break;
    }
    if (setup.worktree_request && !setup.worktree) {
      open_worktree_of(std::move(setup));
    } else if (!begin(std::move(setup))) {
      break;
    }
  }
  starting_ = false;
  tell_begun();
  finish_if_done();
}

// The callee may list waiting sessions, so they must be in the queue before it is called.
void Host::tell_begun() {
  const bool settled = (!opening_ || tried_ >= jobs_) && queued_at_back_ == waiting_.size();
  if (on_begun_ && settled) std::exchange(on_begun_, nullptr)();
}

// The session's file in the queue names the worktree that is being made, so that the guardian can
// remove it if this process dies.
void Host::open_worktree_of(session::SessionSetup setup) {
  if (!setup.queued) put_in_queue(setup);
  opening_.emplace(Opening{std::move(setup), std::nullopt});
  worktrees_->open(
      *opening_->setup.worktree_request,
      [this](base::Result<repo::Worktree> worktree) { on_opened(std::move(worktree)); });
}

void Host::on_opened(base::Result<repo::Worktree> worktree) {
  Opening opening = std::move(*opening_);
  opening_.reset();
  ++tried_;
  session::SessionSetup& setup = opening.setup;
  const std::optional<base::Error> failure =
      worktree ? std::nullopt : std::optional(worktree.error());
  if (worktree) {
    setup.cwd = setup.plan.work_dir = worktree->folder;
    setup.worktree = std::move(worktree).value();
  }
  if (opening.refusal) {
    leave(setup.worktree);
    forget(setup);
    observer_.on_ended({setup.issue, opening.refusal->code, {}, opening.refusal->why});
  } else if (failure && failure->code == base::ErrorCode::kShortage && may_get_room()) {
    put_off(std::move(setup), *failure);
    return;  // start_waiting() is called when there is room
  } else if (failure) {
    forget(setup);
    observer_.on_ended({setup.issue, event::exit_code(failure->code), {}, failure->text});
  } else {
    if (on_worktree_) on_worktree_(setup);
    begin(std::move(setup));
  }
  start_waiting();
}

// False if the session has to wait until another one has ended.
bool Host::begin(session::SessionSetup setup) {
  setup.waits_for_room = may_get_room();
  std::optional<store::RunResult> verdict;
  setup.on_not_started = [&verdict](const store::RunResult& result) { verdict = result; };
  const auto started = start_one(setup);
  if (started) return true;
  const base::Error& why = started.error();
  if (why.code == base::ErrorCode::kShortage && setup.waits_for_room) {
    put_off(std::move(setup), why);
    return false;
  }
  leave(setup.worktree);
  if (was_taken(setup)) return true;
  forget(setup);
  observer_.on_ended({setup.issue, event::exit_code(why.code), std::move(verdict), why.text});
  return true;
}

// Removes the worktree of a session that did not start, unless it was there before.
void Host::leave(const std::optional<repo::Worktree>& worktree) {
  if (!worktree || !worktree->created) return;
  ++leaving_;
  worktrees_->leave(*worktree, [this] {
    --leaving_;
    finish_if_done();
  });
}

// The user does not want to wait for git any longer.
void Host::abandon_worktrees() {
  if ((!opening_ || !opening_->refusal) && leaving_ == 0) return;
  worktrees_ = std::make_unique<WorktreeDesk>(loop_);
  leaving_ = 0;
  if (!opening_ || !opening_->refusal) return;
  const Opening opening = std::move(*opening_);
  opening_.reset();
  forget(opening.setup);
  observer_.on_ended({opening.setup.issue,
                      opening.refusal->code,
                      {},
                      opening.refusal->why + "; its worktree may be half made: " +
                          repo::planned_worktree(*opening.setup.worktree_request).path});
}

// The descriptors that the running sessions may still need count as taken, although they are still
// free.
bool Host::lacks_descriptors() const {
  if (running_ == 0) return false;
  return (running_ + 1) * kDescriptorsOfOne > free_at_start_ ||
         pty::free_descriptors(kDescriptorsToStart) < kDescriptorsToStart;
}

// Puts the session back to the front, until another one ends and makes room.
void Host::put_off(session::SessionSetup setup, const base::Error& why) {
  if (!std::exchange(told_of_shortage_, true)) observer_.on_put_off(setup.issue, why.text);
  if (queued_at_back_ == waiting_.size() && setup.queued) ++queued_at_back_;
  waiting_.push_front(std::move(setup));
}

base::Result<HostedSession*> Host::take(session::SessionSetup setup) {
  const std::optional<repo::Worktree> worktree = setup.worktree;
  auto started = start_one(std::move(setup));
  if (!started) leave(worktree);
  return started;
}

base::Result<HostedSession*> Host::start_one(session::SessionSetup setup) {
  const size_t slot = sessions_.size();
  const int number = free_number();
  setup.launch.env[std::string(kSlotVariable)] = std::to_string(number);
  setup.guardian = guardian_.get();
  auto sink = observer_.sink_for(setup);
  auto hosted = HostedSession::start(loop_, std::move(setup), socket_folder_, std::move(sink),
                                     heap_, room_, crew_, [this, slot, number] {
                                       numbers_.erase(number);
                                       on_session_ended(slot);
                                     });
  if (!hosted) return hosted.error();
  numbers_.insert(number);
  sessions_.push_back(std::move(hosted).value());
  ++running_;
  heap_.on_change();
  if (output_paused_) sessions_.back()->session().pause_output();
  HostedSession* session = sessions_.back().get();
  session->on_person_change([this, session] { on_person_change(*session); });
  observer_.on_started(*session);
  return session;
}

// The least number that no running session has.
int Host::free_number() const {
  int number = 0;
  while (numbers_.contains(number)) ++number;
  return number;
}

size_t Host::asking() const {
  return static_cast<size_t>(
      std::count_if(sessions_.begin(), sessions_.end(),
                    [](const auto& hosted) { return hosted && hosted->waits_for_person(); }));
}

size_t Host::most_without_slot() const { return std::max(jobs_, kFewestWithoutSlot); }

// A session that was answered goes on at once: if it had to wait for a slot, the user's answer
// would seem to be lost.
void Host::on_person_change(HostedSession& session) {
  using Slot = HostObserver::Slot;
  if (!session.waits_for_person()) return;
  const bool is_wanted = !waiting_.empty() || opening_;
  const Slot slot = asking() > most_without_slot() ? Slot::kKept : Slot::kGivenUp;
  observer_.on_waits_for_person(session, is_wanted ? slot : Slot::kUnwanted);
  start_waiting();
}

void Host::release() {
  --held_;
  finish_if_done();
}

void Host::on_session_ended(size_t slot) {
  const std::unique_ptr<HostedSession> ended = std::move(sessions_[slot]);
  const store::RunResult result = ended->session().result();
  if (auto socket = ended->release_socket()) part(std::move(socket), store::to_json(result));
  --running_;
  heap_.on_change();
  observer_.on_ended({result.issue, result.code, result, ""});
  if (result.reason == ExitReason::kRetryLater) {
    skip_waiting(result.code, "not started: issue " + result.issue + " was asked to retry later");
  }
  start_waiting();
}

// Sends the result to the peers that still listen before the socket is closed.
void Host::part(std::unique_ptr<ControlSocket> socket, const std::string& result_json) {
  ControlSocket* parting = socket.get();
  parting_.push_back(std::move(socket));
  parting->on_end(result_json, [this, parting] {
    std::erase_if(parting_, [parting](const auto& own) { return own.get() == parting; });
    start_waiting();
  });
}

void Host::skip_waiting(int code, const std::string& why) {
  if (opening_ && !opening_->refusal) opening_->refusal = Refusal{code, why};
  for (const session::SessionSetup& setup : std::exchange(waiting_, {})) {
    leave(setup.worktree);
    forget(setup);
    observer_.on_ended({setup.issue, code, {}, why});
  }
  queued_at_back_ = 0;
}

void Host::on_stop_signal(int signum) {
  const ExitReason reason = signum == SIGINT ? ExitReason::kInterrupted : ExitReason::kTerminated;
  if (std::exchange(told_to_stop_, true)) abandon_worktrees();
  skip_waiting(event::exit_code(reason), "not started: interrupted");
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->session().on_signal(signum);
  }
  last_git_.start(WorktreeDesk::kLastMs, [this] {
    abandon_worktrees();
    finish_if_done();
  });
  finish_if_done();
}

void Host::fail(const std::string& why) {
  skip_waiting(event::exit_code(ExitReason::kInternal), "not started: " + why);
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->session().fail(why);
  }
}

void Host::resize(term::Size size) {
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->viewers().on_own_size(size);
  }
}

void Host::take_agent_version(const std::string& version) {
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->session().take_agent_version(version);
  }
  for (session::SessionSetup& setup : waiting_) setup.agent_version = version;
  if (opening_) opening_->setup.agent_version = version;
}

void Host::pause_output() {
  output_paused_ = true;
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->session().pause_output();
  }
}

void Host::resume_output() {
  output_paused_ = false;
  for (const auto& hosted : sessions_) {
    if (hosted) hosted->session().resume_output();
  }
}

void Host::finish_if_done() {
  if (!idle() || !parting_.empty() || starting_ || finished_) return;
  finished_ = true;
  heap_.stop();
  if (queue_guarded_) guardian_->watch_queue("");
  guardian_->end_strays(loop_);
  observer_.on_all_ended();
}

}  // namespace orch::host
