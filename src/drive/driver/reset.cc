#include "driver/reset.h"

#include <algorithm>

#include "term/keys.h"

namespace orch::driver {
namespace {

using event::AgentStatus;

constexpr TimeMs kPauseMs = 500;      // after the keys, while the agent draws their effect
constexpr TimeMs kPromptMs = 15'000;  // the longest time for the command and the prompt after it
// The most rounds of keys: in some agents two Escapes open a dialog, and a third one closes it.
constexpr int kMaxRounds = 4;
constexpr TimeMs kInterruptMs = 3'000;  // how long work may go on before keys are typed again
constexpr TimeMs kLook = 50;            // how often the screen is looked at while waiting
// The agent is back at its prompt if nothing was drawn for kQuietMs, or if the prompt stood for
// kStandsMs: some agents draw all the time.
constexpr TimeMs kQuietMs = 300;
constexpr TimeMs kStandsMs = 2'000;

bool rests(const InputView& view) {
  return event::accepts_input(view.status) && event::accepts_input(view.sighted);
}

bool rests_at_empty_prompt(const InputView& view) {
  return rests(view) && view.typed && view.typed->empty();
}

}  // namespace

Reset::Reset(const adapters::Manifest& manifest, const base::Pattern* placeholder, TimeMs now)
    : manifest_(manifest), placeholder_(placeholder), deadline_(now) {
  if (manifest.reset.command.empty()) end(Outcome::kFailed);
}

std::string Reset::step(TimeMs now, const InputView& view, bool application_cursor) {
  if (outcome_) return {};
  switch (state_) {
    case State::kStart:
      // Keys that find nothing to end may do harm: two Escapes open a dialog, two Ctrl-C quit.
      if (rests_at_empty_prompt(view)) return begin_command(now, view);
      begin_keys(now);
      return at_keys(now, view, application_cursor);
    case State::kKeys:
      return at_keys(now, view, application_cursor);
    case State::kCommand:
      if (!needs_keys_again(now, view)) return at_command(now, view);
      begin_keys(now);
      return at_keys(now, view, application_cursor);
    case State::kPrompt:
      return at_prompt(now, view);
  }
  return {};
}

void Reset::begin_keys(TimeMs now) {
  command_.reset();
  keys_ = 0;
  ++rounds_;
  deadline_ = now;
  state_ = State::kKeys;
}

std::string Reset::at_keys(TimeMs now, const InputView& view, bool application_cursor) {
  if (now < deadline_) return {};
  const std::vector<std::string>& keys = manifest_.reset.keys;
  const size_t wanted = rounds_ <= 1 ? keys.size() : std::min<size_t>(keys.size(), 1);
  if (keys_ == wanted) {
    if (!needs_keys_again(now, view)) return begin_command(now, view);
    begin_keys(now);
    return at_keys(now, view, application_cursor);
  }
  const std::string& key = keys[keys_++];
  keys_at_ = now;
  deadline_ = now + (keys_ < wanted ? term::kKeyGapMs : kPauseMs);
  return term::key_bytes(
             key, application_cursor ? term::CursorKeys::kApplication : term::CursorKeys::kNormal)
      .value_or("");
}

std::string Reset::begin_command(TimeMs now, const InputView& view) {
  if (give_up_at_ == kNever) give_up_at_ = now + kPromptMs;
  DeliveryRequest request;
  request.text = manifest_.reset.command;
  request.as_command = true;
  request.dialog_patience_ms = 0;
  request.give_up_at = give_up_at_;
  request.left = view.typed.value_or("");
  command_.emplace(manifest_.input, placeholder_, std::move(request), now);
  state_ = State::kCommand;
  return at_command(now, view);
}

// Whether a dialog or running work still blocks the command; the first key may end either.
bool Reset::needs_keys_again(TimeMs now, const InputView& view) const {
  if (manifest_.reset.keys.empty() || (command_ && command_->typed_anything())) return false;
  if (rounds_ >= kMaxRounds || now >= give_up_at_) return false;
  const bool waits = view.status == AgentStatus::kWaiting || view.sighted == AgentStatus::kWaiting;
  const bool works = view.status == AgentStatus::kWorking && view.sighted == AgentStatus::kWorking;
  if (waits) return true;
  if (!works) return false;
  return rounds_ == 0 || now - keys_at_ >= kInterruptMs;
}

std::string Reset::at_command(TimeMs now, const InputView& view) {
  std::string bytes = command_->step(now, view);
  deadline_ = command_->next_deadline();
  const std::optional<DeliveryResult> result = command_->result();
  if (!result) {
    const TimeMs again_at = keys_at_ + kInterruptMs;
    if (!command_->typed_anything() && again_at > now) deadline_ = std::min(deadline_, again_at);
    return bytes;
  }
  if (*result == DeliveryResult::kAccepted) {
    state_ = State::kPrompt;
    return at_prompt(now, view);
  }
  // A draft appeared in the box after the command was begun: some agents put an interrupted message
  // back. The command is begun again, with that text to be cleared away.
  const bool draft = *result == DeliveryResult::kBlocked && view.typed && !view.typed->empty();
  if (!draft || command_->typed_anything() || !rests(view)) return end(Outcome::kFailed);
  return begin_command(now, view);
}

std::string Reset::at_prompt(TimeMs now, const InputView& view) {
  deadline_ = std::min(now + kLook, give_up_at_);
  if (!rests_at_empty_prompt(view)) {
    stands_since_.reset();
  } else if (!stands_since_) {
    stands_since_ = now;
  }
  if (stands_since_) {
    const TimeMs stands = now - *stands_since_;
    const bool quiet = now - view.last_output >= kQuietMs || stands >= kStandsMs;
    if (quiet && stands >= manifest_.input.stability_ms) return end(Outcome::kCleared);
  }
  return now >= give_up_at_ ? end(Outcome::kFailed) : std::string();
}

std::string Reset::end(Outcome outcome) {
  outcome_ = outcome;
  deadline_ = kNever;
  return {};
}

}  // namespace orch::driver
