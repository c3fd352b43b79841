#include "driver/delivery.h"

#include <algorithm>
#include <utility>

#include "adapters/message.h"
#include "base/text.h"
#include "detect/layout.h"
#include "driver/paste.h"
#include "term/keys.h"

namespace orch::driver {

using event::AgentStatus;

namespace {

constexpr TimeMs kLook = 50;  // how often the screen is looked at while waiting for something
constexpr std::string_view kEnter = "\r";
// Ctrl+U and Backspace: in gemini Ctrl+U leaves the line feed before the line that it clears. In an
// empty box neither key does anything (measured on claude, codex, gemini and opencode).
constexpr std::string_view kClearLine = "\x15\x7f";
constexpr TimeMs kClearMs = 100;  // between two attempts to clear the box
constexpr int kMaxClears = 100;   // attempts to clear the box
// Each attempt removes one line, and one more for every kLinesForOneMore lines of the text: a long
// text would take minutes otherwise.
constexpr size_t kLinesForOneMore = 50;
constexpr std::string_view kByteOrderMark = "\ufeff";
// The message counts as taken if nothing contradicts that for this long: during a repaint an
// interface may show an empty box, or none, for a moment.
constexpr TimeMs kTakenMs = 200;
// How often the text may disappear from the box before Enter.
constexpr int kMaxVanished = 10;
// After a slow start the rest comes late too: Gemini asks whether to trust a folder 0.6 s after a
// prompt that took 2.5 s, and 2.4 s after one that took 11.6 s (measured). So the prompt must stand
// for a third of the time that it took to come, but not for longer than this.
constexpr TimeMs kLongestSettlingMs = 10'000;
// The longest line that a tty in canonical mode takes (N_TTY); it drops the rest.
constexpr size_t kCanonicalBytes = 4'095;
// A long text may take this much longer to appear in the box: 5 s more for 100 KB.
constexpr int64_t kSeenMsPerKb = 50;
// Each later wait may take this many times as long as the text took to appear in the box.
constexpr int64_t kEchoes = 3;
// No text takes longer than this to appear in the box, unless a dialog was open.
constexpr int64_t kLongestEchoMs = 10'000;
// Output has been looked at after this long, even if it never settles (detect::DetectTiming).
constexpr TimeMs kLookedAtMs = 250;
// An agent whose confirmed status is working counts as resting after this long without a sign of
// work.
constexpr TimeMs kWorkUnseenMs = 5'000;
// Agents send their first request up to 45 s after Enter (measured), some without drawing anything.
constexpr TimeMs kWorkFollowsMs = 60'000;
// Keys that somebody else typed appear in the box within this time, if the agent draws at all.
constexpr int64_t kHandEchoMs = 2'000;

bool prompt_is_free(const InputView& view) {
  if (view.keyboard_busy || view.enter_unseen) return false;
  if (!event::accepts_input(view.status) || !event::accepts_input(view.sighted)) return false;
  return view.typed.has_value() || !view.box_expected;
}

// Whether the agent seems to be neither working nor at a dialog, and nobody else types.
bool rests(const InputView& view) {
  const bool busy = view.sighted == AgentStatus::kWorking || view.sighted == AgentStatus::kWaiting;
  return !busy && view.status != AgentStatus::kWaiting && !view.keyboard_busy && !view.enter_unseen;
}

}  // namespace

std::string normalised_message(std::string_view text) {
  std::string message = term::paste_bytes(text, term::PasteMode::kPlain);
  while (message.starts_with(kByteOrderMark)) message.erase(0, kByteOrderMark.size());
  const size_t last_word = message.find_last_of(" \t\n") + 1;  // 0 when there is but one
  if (message.ends_with('\\') || message.substr(last_word).starts_with('@')) message += ' ';
  return message;
}

namespace {

bool would_be_command(const adapters::InputSpec& spec, std::string_view text) {
  return adapters::begins_command(text, spec.command_start) ||
         adapters::is_command_word(text, spec.command_words);
}

// The text to type: the normalised message, with its lead if it needs one.
std::string with_lead(const adapters::InputSpec& spec, const DeliveryRequest& request) {
  std::string text = normalised_message(request.text);
  const bool needs_lead = !request.lead.empty() && !request.as_command &&
                          (would_be_command(spec, text) || draws_nothing(text));
  return needs_lead ? normalised_message(request.lead) + '\n' + text : text;
}

}  // namespace

std::string below_box(const detect::Detector& detector) {
  const detect::Layout& layout = detector.layout();
  if (!layout.box || !layout.kind->footer) return {};
  return detect::joined(detector.rows(), {layout.box_rows.end, layout.used});
}

namespace {

bool expects_box(const detect::RuleSet& rules) {
  return std::any_of(rules.boxes.begin(), rules.boxes.end(), [](const detect::BoxRules& box) {
    return box.prompt || box.side || box.spec.enclosed > 0;
  });
}

}  // namespace

InputView view_of(const detect::Detector& detector, const term::Screen& screen) {
  const detect::Finding& look = detector.latest();
  const detect::Layout& layout = detector.layout();
  const bool begins = !layout.box || !layout.kind->prompt ||
                      detector.rows()[layout.box_rows.begin].bits.test(*layout.kind->prompt);
  return {.status = event::at_prompt(detector.status(), detector.cause()),
          .sighted = event::at_prompt(look.status, look.cause),
          .evidence = look.rule != nullptr,
          .sighted_cause = look.cause,
          .typed = look.typed,
          .box_rows = layout.box ? layout.box_rows.end - layout.box_rows.begin : 0,
          .box_begins = begins,
          .box_expected = expects_box(detector.rules()),
          .bracketed_paste = screen.modes().bracketed_paste,
          .last_output = detector.last_output()};
}

Delivery::Delivery(const adapters::InputSpec& spec, const base::Pattern* placeholder,
                   DeliveryRequest request, TimeMs now)
    : spec_(spec),
      request_(std::move(request)),
      text_(with_lead(spec, request_)),
      ours_(text_, placeholder),
      asked_at_(now),
      since_(now),
      deadline_(now) {
  if (!request_.left.empty()) left_.emplace(request_.left, placeholder);
}

std::string Delivery::step(TimeMs now, const InputView& view) {
  follow_output(now, view);
  if (!typed_anything() && left_ && shows(*left_, view)) left_came_ = true;
  switch (state_) {
    case State::kGate:
      return at_gate(now, view);
    case State::kStable:
      return at_stable(now, view);
    case State::kClear:
      return at_clear(now, view);
    case State::kTyped:
      return at_typed(now, view);
    case State::kSeen:
      return at_seen(now, view);
    case State::kEntered:
      return at_entered(now, view);
    case State::kDone:
      break;
  }
  return {};
}

std::string Delivery::at_gate(TimeMs now, const InputView& view) {
  if (!request_.as_command && would_be_command(spec_, text_)) {
    const size_t sign = text_.find_first_of(spec_.command_start);
    const bool begins = adapters::begins_command(text_, spec_.command_start);
    return finish(DeliveryResult::kWouldBeCommand,
                  begins ? "the message begins with '" + text_.substr(sign, 1) + "'"
                         : "the message is a command: " + std::string(base::trim(text_)));
  }
  if (view.box_expected && draws_nothing(text_)) {
    return finish(DeliveryResult::kBlocked, "an input box would show nothing of the message");
  }
  if (gives_up(now)) return {};
  if (prompt_is_free(view)) {
    if (has_draft(view)) {
      // A text that somebody else types may still be on its way into the box or out of it.
      deadline_ = std::min(hand_seen_at(view), request_.give_up_at);
      if (now < deadline_) return {};
      return finish(DeliveryResult::kBlocked, "the input box holds a draft");
    }
    go(State::kStable, now);
    return at_stable(now, view);
  }
  deadline_ = request_.give_up_at;
  const bool waiting = view.status == AgentStatus::kWaiting;
  if (!waiting) dialog_since_.reset();
  const bool works = view.status == AgentStatus::kWorking;
  if (waiting || (works && !may_clear_unseen(view)) || view.keyboard_busy) {
    waiting_since_.reset();
    if (!waiting || request_.dialog_patience_ms == kNever) return {};
    if (!dialog_since_) dialog_since_ = now;
    const TimeMs patience_ends = *dialog_since_ + request_.dialog_patience_ms;
    deadline_ = std::min(deadline_, patience_ends);
    if (now < patience_ends) return {};
    return finish(DeliveryResult::kBlocked, "the agent waits at a dialog");
  }
  if (!waiting_since_) waiting_since_ = now;
  if (view.enter_unseen) deadline_ = std::min(deadline_, now + kLook);
  if (may_clear_unseen(view)) {
    const TimeMs clear_at = *waiting_since_ + (works ? kWorkUnseenMs : spec_.stability_ms);
    if (now >= clear_at) {
      go(State::kClear, now);
      return at_clear(now, view);
    }
    deadline_ = std::min(deadline_, clear_at);
  }
  const int64_t limit = request_.first ? spec_.start_ms : spec_.send_ms;
  deadline_ = std::min(deadline_, *waiting_since_ + limit);
  if (now < *waiting_since_ + limit) return {};
  if (view.enter_unseen) {
    return finish(DeliveryResult::kTimeout,
                  "the agent has drawn nothing since the Enter of the message before");
  }
  return finish(DeliveryResult::kTimeout,
                "Prompt detection timeout (" + std::to_string(limit) + "ms)");
}

std::string Delivery::at_stable(TimeMs now, const InputView& view) {
  if (gives_up(now)) return {};
  if (!prompt_is_free(view) || has_draft(view)) {
    go(State::kGate, now);
    deadline_ = now + kLook;
    return {};
  }
  const TimeMs stable_at = std::max(since_ + stability_ms(view), hand_seen_at(view));
  deadline_ = std::min(stable_at, request_.give_up_at);
  if (now < stable_at) return {};
  if (spec_.guessed && request_.clear_first) {
    return finish(DeliveryResult::kBlocked, "the text of an earlier message may be in the box");
  }
  if (spec_.guessed) return type(now, view);
  if (view.typed && (!view.typed->empty() || request_.clear_first)) {
    go(State::kClear, now);
    return at_clear(now, view);
  }
  return type(now, view);
}

// How long the prompt must have stood.
int64_t Delivery::stability_ms(const InputView& view) const {
  if (!request_.first || view.started) return spec_.stability_ms;
  if (spec_.start_stability_ms == 0) return 0;
  const TimeMs settling = std::min((since_ - asked_at_) / 3, kLongestSettlingMs);
  return std::max(spec_.start_stability_ms, settling);
}

std::string Delivery::at_clear(TimeMs now, const InputView& view) {
  const bool unseen = may_clear_unseen(view);
  if (!unseen && !prompt_is_free(view)) {
    go(State::kGate, now);
    deadline_ = now + kLook;
    return {};
  }
  // Text that an earlier message left may appear late, so the keys are typed at least once.
  const bool empty = !unseen && (!view.typed || view.typed->empty());
  if (empty && (saw_left_ || !request_.clear_first)) return type(now, view);
  saw_left_ = saw_left_ || !empty;
  deadline_ = since_ + clears_ * kClearMs;
  if (now < deadline_) return {};
  if (empty && clears_ > 0) return type(now, view);
  if (clears_ == kMaxClears) {
    return finish(DeliveryResult::kBlocked, "what an earlier message left could not be removed");
  }
  ++clears_;
  deadline_ = since_ + clears_ * kClearMs;
  const auto lines =
      static_cast<size_t>(std::count(request_.left.begin(), request_.left.end(), '\n'));
  std::string keys(kClearLine);
  for (size_t i = lines; i >= kLinesForOneMore; i -= kLinesForOneMore) keys += kClearLine;
  return keys;
}

std::string Delivery::type(TimeMs now, const InputView& view) {
  if (view.canonical && text_.size() > kCanonicalBytes) {
    return finish(DeliveryResult::kBlocked,
                  "the terminal gathers lines (canonical mode) and would cut the message at " +
                      std::to_string(kCanonicalBytes) + " bytes");
  }
  typed_at_ = now;
  before_ = view.typed.value_or("");
  go(State::kTyped, now);
  deadline_ = now + kLook;
  return typed_bytes(text_, spec_.keys,
                     view.bracketed_paste ? term::PasteMode::kBracketed : term::PasteMode::kPlain);
}

std::string Delivery::at_typed(TimeMs now, const InputView& view) {
  deadline_ = now + kLook;
  const bool dialog = view.sighted == AgentStatus::kWaiting;
  behind_dialog_ = dialog || view.status == AgentStatus::kWaiting;
  if (dialog) {
    since_ = now;  // the box comes back when the dialog is over
    return {};
  }
  if (!behind_dialog_ && (!view.box_expected || is_shown(view))) {
    if (!echo_ms_) echo_ms_ = std::min(now - typed_at_, kLongestEchoMs);
    go(State::kSeen, now);
    return at_seen(now, view);
  }
  const int64_t seen_ms = std::max(spec_.seen_ms, kEchoes * request_.echo_ms) +
                          static_cast<int64_t>(text_.size()) / 1'000 * kSeenMsPerKb;
  if (now - since_ < seen_ms) return {};
  return finish(DeliveryResult::kUnconfirmed, vanished_ == 0
                                                  ? "the text did not appear in the input box"
                                                  : "the text left the input box before Enter");
}

std::string Delivery::at_seen(TimeMs now, const InputView& view) {
  const bool gone = view.box_expected && !is_shown(view);
  if (view.sighted == AgentStatus::kWaiting || gone) {
    if (gone && view.typed && ++vanished_ > kMaxVanished) {
      return finish(DeliveryResult::kUnconfirmed, "the text left the input box before Enter");
    }
    go(State::kTyped, now);
    return at_typed(now, view);
  }
  // Keys that somebody else has typed since then, perhaps into a dialog, may still appear after the
  // text.
  deadline_ = std::max(since_ + spec_.enter_delay_ms, hand_seen_at(view));
  return now < deadline_ ? std::string() : enter(now, view);
}

std::string Delivery::at_entered(TimeMs now, const InputView& view) {
  if (!view.box_expected) return finish(DeliveryResult::kAccepted);
  const bool works = view.evidence && view.sighted == AgentStatus::kWorking;
  const bool is_empty = view.typed && draws_nothing(*view.typed);
  const bool by_hand = view.hand_typed_at && *view.hand_typed_at >= typed_at_;
  // A key that a user typed after Enter may have emptied the box. The effect of earlier keys is
  // known: Enter waited for it.
  const bool may_be_by_hand = view.hand_typed_at && *view.hand_typed_at >= first_entered_at_;
  const bool emptied = is_empty && !may_be_by_hand;
  const bool dialog = view.sighted == AgentStatus::kWaiting;
  // Only a dialog of the turn shows that the message was taken. One that the agent opens for other
  // reasons may have swallowed the Enter that was meant for the box.
  const bool asks = dialog && event::comes_of_turn(view.sighted_cause);
  deadline_ = now + kLook;
  const bool other = view.typed && !is_empty && !is_shown(view);
  went_on_by_hand_ = went_on_by_hand_ || (other && by_hand);
  if (!is_shown(view) && (works || asks || (emptied && !dialog && !spec_.guessed))) {
    if (!taken_since_) taken_since_ = now;
    if (now - *taken_since_ >= kTakenMs) {
      if (!went_on_by_hand_) return finish(DeliveryResult::kAccepted);
      return finish(DeliveryResult::kUnconfirmed, "somebody else went on writing in the input box");
    }
    behind_dialog_ = dialog;
    return {};
  }
  taken_since_.reset();
  behind_dialog_ = dialog || view.status == AgentStatus::kWaiting;
  if (dialog) {
    since_ = now;  // the dialog may have got our Enter; the box shows that when the dialog is over
    return {};
  }
  return at_still_shown(now, view);
}

// After Enter, while nothing shows that the agent has taken the message.
std::string Delivery::at_still_shown(TimeMs now, const InputView& view) {
  const int64_t patience =
      std::max({spec_.accepted_ms, kEchoes * known_lag_ms(), dialog_silence_ms_});
  if (spec_.guessed && !is_shown(view)) return at_no_work(now);
  if (now - since_ < patience) return {};
  if (view.typed && !is_shown(view)) {
    return finish(DeliveryResult::kUnconfirmed,
                  draws_nothing(*view.typed)
                      ? "somebody else typed, too, and the input box is empty after Enter"
                      : "after Enter the input box holds something else");
  }
  if (view.typed && !behind_dialog_ && is_newer_than_enter(now, view)) {
    if (enters_ <= spec_.enter_repeats) return enter(now, view);
    return finish(DeliveryResult::kUnconfirmed, "the text still stands in the input box after " +
                                                    std::to_string(enters_) + " times Enter");
  }
  // Enter is not repeated, but the wait ends when it would have ended after the last repeat.
  if (now - since_ < patience * (2 + spec_.enter_repeats - enters_)) return {};
  return finish(DeliveryResult::kUnconfirmed, view.typed ? "the agent drew nothing after Enter"
                                                         : "the input box went away after Enter");
}

// The text left a guessed box, which may be its own doing: only work shows that it was taken.
std::string Delivery::at_no_work(TimeMs now) {
  if (now - entered_at_ < kWorkFollowsMs) return {};
  return finish(DeliveryResult::kUnconfirmed, "no work followed the Enter");
}

// By how much the screen has lagged behind so far: the time that the text took to appear, and the
// longest pause since then, during which output may have been held up.
int64_t Delivery::known_lag_ms() const { return echo_ms_.value_or(0) + silence_ms_; }

bool Delivery::enter_is_unseen(TimeMs now) const {
  return enters_ > 0 && !(newer_since_ && now - *newer_since_ >= kLookedAtMs);
}

// The greatest possible lag of the screen, as far as can be known.
int64_t Delivery::lag_ms() const { return std::max(known_lag_ms(), dialog_silence_ms_); }

void Delivery::follow_output(TimeMs now, const InputView& view) {
  if (view.last_output > last_output_) {
    // A dialog stands still until somebody answers it, so a pause does not prove that output is
    // late. Pauses during a dialog are kept apart and limited.
    int64_t& longest = behind_dialog_ ? dialog_silence_ms_ : silence_ms_;
    const int64_t most = behind_dialog_ ? kLongestEchoMs : kNever;
    if (echo_ms_) longest = std::clamp(view.last_output - last_output_, longest, most);
    last_output_ = view.last_output;
  }
  if (enters_ == 0 || last_output_ - entered_at_ <= lag_ms()) {
    newer_since_.reset();
  } else if (!newer_since_) {
    newer_since_ = now;
  }
}

// Whether the screen shows output from after the last Enter. If the agent took that Enter for a
// part of the paste, the box has one more row.
bool Delivery::is_newer_than_enter(TimeMs now, const InputView& view) const {
  if (view.box_rows > rows_at_enter_ && !text_.ends_with('\n')) return true;
  return newer_since_ && now - *newer_since_ >= kLookedAtMs;
}

bool Delivery::is_shown(const InputView& view) const {
  return shows(ours_, view) && !may_be_left(view);
}

// Whether the box may still show the text of an earlier delivery and not ours: two long texts look
// the same if the box shows only their number of lines.
bool Delivery::may_be_left(const InputView& view) const {
  return request_.left_unseen && !left_came_ && left_ && shows(*left_, view);
}

// Whether the box shows the text; if the box has scrolled or may have, the text's end is enough.
bool Delivery::shows(const TypedText& text, const InputView& view) const {
  if (!view.typed) return false;
  if (spec_.guessed) return shows_among(text, view);
  const bool may_scroll = spec_.scroll_rows > 0 && view.box_rows >= spec_.scroll_rows;
  const TypedText::Extent extent =
      view.box_begins && !may_scroll ? TypedText::Extent::kAll : TypedText::Extent::kEnd;
  return text.is_shown_by(*view.typed, extent) ||
         (!view.below.empty() && text.is_shown_by(*view.typed + ' ' + view.below, extent));
}

std::string Delivery::enter(TimeMs now, const InputView& view) {
  if (++enters_ == 1) first_entered_at_ = now;
  entered_at_ = now;
  newer_since_.reset();
  rows_at_enter_ = view.box_rows;
  go(State::kEntered, now);
  deadline_ = now + kLook;
  return std::string(kEnter);
}

// The same for a guessed box. Its words before anything was typed are not the message.
bool Delivery::shows_among(const TypedText& text, const InputView& view) const {
  if (typed_anything() && *view.typed == before_) return false;
  return text.is_shown_by(*view.typed, TypedText::Extent::kPart);
}

// When the last key that somebody else typed must have appeared in the box.
TimeMs Delivery::hand_seen_at(const InputView& view) const {
  if (!view.hand_typed_at) return 0;
  const bool drawn = view.last_output > *view.hand_typed_at;
  const int64_t soonest = std::max(
      {kHandEchoMs, kEchoes * std::max(request_.echo_ms, known_lag_ms()), dialog_silence_ms_});
  return *view.hand_typed_at + (drawn ? soonest : kLongestEchoMs);
}

bool Delivery::has_draft(const InputView& view) const {
  if (!view.typed || draws_nothing(*view.typed)) return false;
  if (request_.clear_first || view.holds_replies) return false;
  if (spec_.guessed && !view.hand_typed_at) return false;  // a placeholder
  return !left_ || !shows(*left_, view);
}

// Whether to clear a box that cannot be recognised now: as far as is known, it holds only text of
// our own.
bool Delivery::may_clear_unseen(const InputView& view) const {
  return request_.clear_first && clears_ < kMaxClears && view.box_expected && !view.typed &&
         rests(view);
}

bool Delivery::gives_up(TimeMs now) {
  if (now < request_.give_up_at) return false;
  finish(DeliveryResult::kTimeout, "the agent did not become ready in time");
  return true;
}

bool Delivery::holds_keyboard() const {
  switch (state_) {
    case State::kGate:
    case State::kStable:
    case State::kDone:
      return false;
    case State::kClear:
      return true;
    case State::kTyped:
    case State::kSeen:
    case State::kEntered:
      return !behind_dialog_;
  }
  return false;
}

void Delivery::go(State state, TimeMs now) {
  state_ = state;
  since_ = now;
}

std::string Delivery::finish(DeliveryResult result, std::string reason) {
  state_ = State::kDone;
  deadline_ = kNever;
  result_ = result;
  reason_ = std::move(reason);
  return {};
}

void Delivery::on_exit() {
  if (result_) return;
  if (taken_since_) {  // some messages make it exit
    finish(DeliveryResult::kAccepted);
  } else {
    finish(DeliveryResult::kExited, "the agent exited");
  }
}

}  // namespace orch::driver
