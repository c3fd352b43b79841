#include "cli/player.h"

#include <utility>

#include "base/time.h"
#include "cli/command.h"
#include "mask/screen.h"
#include "setup/recordings.h"
#include "term/snapshot.h"

namespace orch::cli {
namespace {

constexpr int64_t kPlayedFrameMs = 66;

}  // namespace

Player::Player(Plan plan)
    : plan_(std::move(plan)),
      screen_(plan_.ink, *this),
      tick_(screen_.loop()),
      model_(plan_.end_ms, plan_.speed, plan_.statuses),
      coming_(plan_.secrets) {}

int Player::run() {
  base::Result<store::CastReader> before = setup::open_recording(plan_.path);
  if (!before) return report(before.error());
  coming_ = setup::coming_secrets(*before, 0, base::kNever, plan_.secrets);
  if (base::Status opened = open(); !opened) return report(opened.error());
  model_.on_shown_again(now_ms());
  screen_.start();
  on_tick();
  return screen_.run();
}

base::Status Player::open() {
  base::Result<store::CastReader> cast = setup::open_recording(plan_.path);
  if (!cast) return cast.error();
  cast_.emplace(std::move(cast).value());
  agent_.emplace(term::Size{cast_->header().cols, cast_->header().rows});
  next_ = cast_->next();
  played_ms_ = 0;
  return base::Ok{};
}

// Parts of a recording after the agent's exit are not the agent's output.
void Player::play_to(int64_t ms) {
  if (ms < played_ms_ && !open()) return;
  while (next_ != nullptr && next_->us / 1000 <= ms && next_->kind != store::CastKind::kExit) {
    setup::play(*next_, *agent_);
    agent_->take_replies();
    next_ = cast_->next();
  }
  played_ms_ = ms;
}

void Player::on_tick() {
  model_.on_time(now_ms());
  screen_.draw();
  tick_.start(kPlayedFrameMs, [this] { on_tick(); });
}

// The secrets are covered on a copy. A secret that is still incomplete is recognised by its part
// that is drawn later.
void Player::draw(ui::Canvas& canvas) {
  play_to(model_.position_ms());
  term::Screen shown(agent_->size());
  shown.feed(term::snapshot(*agent_));
  std::vector<mask::Cells> parts = coming_.parts_on(played_ms_, *agent_);
  mask::cover(shown, parts);
  mask::cover(shown, mask::find_on(plan_.secrets, *agent_));
  ui::draw_replay(model_, shown, canvas);
}

void Player::on_input(const ui::TerminalInput& input) {
  switch (model_.on_input(input, now_ms())) {
    case ui::ReplayModel::Action::kNothing:
      return;
    case ui::ReplayModel::Action::kLeave:
      return screen_.end(0);
    case ui::ReplayModel::Action::kSuspend:
      screen_.suspend();
      model_.on_shown_again(now_ms());
  }
}

}  // namespace orch::cli
