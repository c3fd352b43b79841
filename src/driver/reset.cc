#include "driver/reset.h"

#include <algorithm>

#include "term/keys.h"

namespace orch::driver {
namespace {

constexpr TimeMs kPauseMs = 500;      // DESIGN, orch reset: for what the keys ended to be drawn
constexpr TimeMs kPromptMs = 15'000;  // the same: for the command, and the prompt after it

}  // namespace

Reset::Reset(const adapters::Manifest& manifest, const base::Pattern* placeholder, TimeMs now)
    : manifest_(manifest), placeholder_(placeholder), deadline_(now) {
  if (manifest.reset.command.empty()) outcome_ = Outcome::kFailed;
}

std::string Reset::step(TimeMs now, const InputView& view, bool application_cursor) {
  if (outcome_) return {};
  switch (state_) {
    case State::kKeys:
      return at_keys(now, view, application_cursor);
    case State::kCommand:
      return at_command(now, view);
    case State::kPrompt:
      return at_prompt(now, view);
  }
  return {};
}

std::string Reset::at_keys(TimeMs now, const InputView& view, bool application_cursor) {
  if (now < deadline_) return {};
  if (keys_ < manifest_.reset.keys.size()) {
    const std::string& key = manifest_.reset.keys[keys_++];
    deadline_ = now + (keys_ < manifest_.reset.keys.size() ? term::kKeyGapMs : kPauseMs);
    return term::key_bytes(
               key, application_cursor ? term::CursorKeys::kApplication : term::CursorKeys::kNormal)
        .value_or("");
  }
  DeliveryRequest request;
  request.text = manifest_.reset.command;
  request.as_command = true;
  request.dialog_patience_ms = 0;
  give_up_at_ = request.give_up_at = now + kPromptMs;
  command_.emplace(manifest_.input, placeholder_, std::move(request), now);
  state_ = State::kCommand;
  return at_command(now, view);
}

std::string Reset::at_command(TimeMs now, const InputView& view) {
  std::string bytes = command_->step(now, view);
  deadline_ = command_->next_deadline();
  if (!command_->result()) return bytes;
  if (*command_->result() != DeliveryResult::kAccepted) {
    outcome_ = Outcome::kFailed;
    deadline_ = kNever;
    return bytes;
  }
  state_ = State::kPrompt;
  return at_prompt(now, view);
}

std::string Reset::at_prompt(TimeMs now, const InputView& view) {
  deadline_ = give_up_at_;
  const bool at_rest = event::accepts_input(view.status) && event::accepts_input(view.sighted);
  if (at_rest && view.typed && view.typed->empty()) {
    outcome_ = Outcome::kCleared;
  } else if (now >= give_up_at_) {
    outcome_ = Outcome::kFailed;
  }
  if (outcome_) deadline_ = kNever;
  return {};
}

}  // namespace orch::driver
