#include "host/member_start.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "host/hosted_session.h"
#include "store/queued_session.h"
#include "store/time_text.h"

namespace orch::host {
namespace {

// How often to look whether somebody has taken the session out of the queue.
constexpr int64_t kQueueLookMs = 200;

std::string key_in(const session::SessionSetup& setup) {
  return store::session_key(setup.issue, setup.repository);
}

}  // namespace

MemberStart::MemberStart(loop::Loop& loop, MemberPlan plan, Callbacks callbacks)
    : loop_(loop),
      plan_(std::move(plan)),
      callbacks_(std::move(callbacks)),
      look_(loop),
      next_(loop) {}

base::Status MemberStart::begin() {
  store::SessionRecord record = queued_record_of(plan_.setup);
  record.started = store::rfc3339_utc(std::chrono::system_clock::now());
  if (base::Status s =
          store::queue_session(plan_.setup.state_dir, record, store::Failed::kMakesRoom);
      !s) {
    return s;
  }
  plan_.setup.queued = true;
  look_.start(kQueueLookMs, [this] { look_at_queue(); });
  next_.start(0, [this] { go_on(); });
  return base::Ok{};
}

void MemberStart::look_at_queue() {
  if (store::waits_for_us(plan_.setup.state_dir, key_in(plan_.setup)).is_absent()) {
    return cancel(taken_from_queue().text);
  }
  look_.start(kQueueLookMs, [this] { look_at_queue(); });
}

void MemberStart::go_on() {
  if (phase_ == Phase::kPreparing) {
    if (prepared_ < plan_.preparations.size()) return prepare(*plan_.preparations[prepared_]);
    phase_ = Phase::kWorktree;
    if (plan_.setup.worktree_request) return open_worktree();
  }
  if (phase_ == Phase::kWorktree) {
    phase_ = Phase::kPlace;
    if (plan_.place) return prepare(*plan_.place);
  }
  phase_ = Phase::kReady;
  look_.stop();
  next_.start(0, [this] { end(); });
  callbacks_.on_ready(std::move(plan_.setup));
}

void MemberStart::prepare(Preparation& preparation) {
  preparation.begin(loop_, plan_.setup, [this](const base::Status& done) { on_prepared(done); });
}

void MemberStart::on_prepared(const base::Status& done) {
  if (!done) return fail(done.error());
  if (phase_ == Phase::kPreparing) plan_.preparations[prepared_++].reset();
  go_on();
}

void MemberStart::open_worktree() {
  opening_ = true;
  desk_.emplace(loop_);
  desk_->open(*plan_.setup.worktree_request, [this](base::Result<repo::Worktree> worktree) {
    opening_ = false;
    on_opened(std::move(worktree));
  });
}

void MemberStart::on_opened(base::Result<repo::Worktree> worktree) {
  session::SessionSetup& setup = plan_.setup;
  const bool wanted = phase_ == Phase::kWorktree;
  if (!worktree) return wanted ? fail(worktree.error()) : end();
  setup.cwd = setup.plan.work_dir = worktree->folder;
  setup.worktree = std::move(worktree).value();
  if (!wanted) return leave();
  for (const std::string& note : setup.worktree->notes) callbacks_.say(note);
  go_on();
}

void MemberStart::cancel(const std::string& why) {
  if (phase_ == Phase::kReady || phase_ == Phase::kLeaving || phase_ == Phase::kOver) return;
  fail(base::usage_error(why));
}

void MemberStart::fail(base::Error why) {
  phase_ = Phase::kLeaving;
  look_.stop();
  store::forget_queued(plan_.setup.state_dir, key_in(plan_.setup));
  plan_.preparations.clear();
  plan_.place.reset();
  next_.start(opening_ ? WorktreeDesk::kLastMs : 0, [this] { opening_ ? abandon() : leave(); });
  callbacks_.on_ready(std::move(why));
}

// Removes the worktree, unless it was there before.
void MemberStart::leave() {
  const std::optional<repo::Worktree>& worktree = plan_.setup.worktree;
  if (!worktree || !worktree->created) return end();
  next_.start(WorktreeDesk::kLastMs, [this] { abandon(); });
  desk_->leave(*worktree, [this] { end(); });
}

void MemberStart::abandon() {
  if (phase_ != Phase::kLeaving) return;
  if (desk_) {
    const std::string path = repo::planned_worktree(*plan_.setup.worktree_request).path;
    base::log_warn("crew", "git does not end: a worktree may stay, " + base::printable(path));
  }
  desk_.reset();
  end();
}

// The caller may be inside a call of an object that this owns, so on_over() comes from the loop.
void MemberStart::end() {
  phase_ = Phase::kOver;
  next_.start(0, [this] {
    const auto over = std::move(callbacks_.on_over);
    over();
  });
}

}  // namespace orch::host
