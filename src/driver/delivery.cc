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

constexpr TimeMs kLook = 50;  // while something is awaited, the screen is looked at this often
constexpr std::string_view kEnter = "\r";
constexpr std::string_view kClearLine = "\x15";  // Ctrl+U: claude, codex, gemini (measured)
constexpr TimeMs kClearMs = 100;                 // between two of them
constexpr int kMaxClears = 100;                  // so often something is removed
// Of a text of many lines several are removed at once, or it would take minutes: one more for each.
constexpr size_t kLinesForOneMore = 50;
constexpr std::string_view kByteOrderMark = "\ufeff";
// For so long nothing may speak against it that the agent has taken the message: while it is
// repainted, an interface may show an empty box, or none, for a moment.
constexpr TimeMs kTakenMs = 200;
// How often the text may be out of sight between the moment it was seen and Enter.
constexpr int kMaxVanished = 10;
// After a slow start what follows it comes late, too: Gemini asks whether to trust a folder 0.6 s
// after a prompt that took 2.5 s, and 2.4 s after one that took 11.6 s (measured). The prompt has
// to stand for a third of the time that it took, but not for longer than this.
constexpr TimeMs kLongestSettlingMs = 10'000;
// A canonical terminal gathers lines of at most this many bytes and drops the rest (N_TTY).
constexpr size_t kCanonicalBytes = 4'095;
// Long texts take longer to be seen: 100 KB of them 5 s more.
constexpr int64_t kSeenMsPerKb = 50;

bool prompt_is_free(const InputView& view) {
  if (view.keyboard_busy) return false;
  if (!event::accepts_input(view.status) || !event::accepts_input(view.sighted)) return false;
  return view.typed.has_value() || !view.box_expected;
}

// A dialog that an agent opens of its own accord may have swallowed an Enter that was meant for the
// box; one that asks about the turn cannot have.
bool comes_of_a_turn(event::Cause cause) {
  return cause == event::Cause::kPermission || cause == event::Cause::kQuestion ||
         cause == event::Cause::kPlan;
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

// What is to be typed.
std::string with_lead(const adapters::InputSpec& spec, const DeliveryRequest& request) {
  std::string text = normalised_message(request.text);
  const bool needs_lead = !request.lead.empty() && !request.as_command &&
                          adapters::begins_command(text, spec.command_start);
  return needs_lead ? normalised_message(request.lead) + '\n' + text : text;
}

}  // namespace

InputView view_of(const detect::Detector& detector, const term::Screen& screen) {
  const detect::Finding& look = detector.latest();
  return {.status = detector.status(),
          .sighted = look.status,
          .evidence = look.rule != nullptr,
          .sighted_cause = look.cause,
          .typed = look.typed,
          .box_expected = detector.rules().box_prompt || detector.rules().box_side,
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
  if (!request_.as_command && adapters::begins_command(text_, spec_.command_start)) {
    const size_t at = text_.find_first_of(spec_.command_start);
    return finish(DeliveryResult::kWouldBeCommand,
                  "the message begins with '" + text_.substr(at, 1) + "'");
  }
  if (gives_up(now)) return {};
  if (prompt_is_free(view)) {
    if (has_draft(view)) return finish(DeliveryResult::kBlocked, "the input box holds a draft");
    go(State::kStable, now);
    return at_stable(now, view);
  }
  deadline_ = request_.give_up_at;
  const bool waiting = view.status == AgentStatus::kWaiting;
  if (!waiting) dialog_since_.reset();
  if (waiting || view.status == AgentStatus::kWorking || view.keyboard_busy) {
    waiting_since_.reset();
    if (!waiting || request_.dialog_patience_ms == kNever) return {};
    if (!dialog_since_) dialog_since_ = now;
    const TimeMs patience_ends = *dialog_since_ + request_.dialog_patience_ms;
    deadline_ = std::min(deadline_, patience_ends);
    if (now < patience_ends) return {};
    return finish(DeliveryResult::kBlocked, "the agent waits at a dialog");
  }
  if (!waiting_since_) waiting_since_ = now;
  const int64_t limit = request_.first ? spec_.start_ms : spec_.send_ms;
  deadline_ = std::min(deadline_, *waiting_since_ + limit);
  if (now < *waiting_since_ + limit) return {};
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
  const TimeMs settling = std::min((since_ - asked_at_) / 3, kLongestSettlingMs);
  const TimeMs stable_at =
      since_ + (request_.first ? std::max(spec_.start_stability_ms, settling) : spec_.stability_ms);
  deadline_ = std::min(stable_at, request_.give_up_at);
  if (now < stable_at) return {};
  if (view.typed && !view.typed->empty()) {
    go(State::kClear, now);
    return at_clear(now, view);
  }
  return type(now, view);
}

std::string Delivery::at_clear(TimeMs now, const InputView& view) {
  if (!prompt_is_free(view)) {
    go(State::kGate, now);
    deadline_ = now + kLook;
    return {};
  }
  if (!view.typed || view.typed->empty()) return type(now, view);
  deadline_ = since_ + clears_ * kClearMs;
  if (now < deadline_) return {};
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
  typed_ = true;
  go(State::kTyped, now);
  deadline_ = now + kLook;
  return typed_bytes(text_, spec_.paste,
                     view.bracketed_paste ? term::PasteMode::kBracketed : term::PasteMode::kPlain);
}

std::string Delivery::at_typed(TimeMs now, const InputView& view) {
  deadline_ = now + kLook;
  behind_dialog_ = view.sighted == AgentStatus::kWaiting || view.status == AgentStatus::kWaiting;
  if (behind_dialog_) {
    since_ = now;  // the box comes back when the dialog is over
    return {};
  }
  if (!view.box_expected || is_shown(view)) {
    go(State::kSeen, now);
    deadline_ = now + spec_.enter_delay_ms;
    return {};
  }
  const int64_t seen_ms = spec_.seen_ms + static_cast<int64_t>(text_.size()) / 1'000 * kSeenMsPerKb;
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
  deadline_ = since_ + spec_.enter_delay_ms;
  return now < deadline_ ? std::string() : enter(now);
}

std::string Delivery::at_entered(TimeMs now, const InputView& view) {
  if (!view.box_expected) return finish(DeliveryResult::kAccepted);
  const bool works = view.evidence && view.sighted == AgentStatus::kWorking;
  const bool emptied = view.typed && view.typed->empty();
  const bool dialog = view.sighted == AgentStatus::kWaiting;
  const bool asks = dialog && comes_of_a_turn(view.sighted_cause);
  deadline_ = now + kLook;
  if (!is_shown(view) && (works || asks || (emptied && !dialog))) {
    if (!taken_since_) taken_since_ = now;
    if (now - *taken_since_ >= kTakenMs) return finish(DeliveryResult::kAccepted);
    behind_dialog_ = dialog;
    return {};
  }
  taken_since_.reset();
  behind_dialog_ = dialog || view.status == AgentStatus::kWaiting;
  if (behind_dialog_) {
    since_ = now;  // it may have got our Enter; the box will say when the dialog is over
    return {};
  }
  // Without a box nothing is typed, but the wait ends when the last repeat would have ended.
  const int enters = view.typed ? 1 : 1 + spec_.enter_repeats;
  if (now - since_ < spec_.accepted_ms * enters) return {};
  if (!view.typed)
    return finish(DeliveryResult::kUnconfirmed, "the input box went away after Enter");
  if (!is_shown(view)) {
    return finish(DeliveryResult::kUnconfirmed, "after Enter the input box holds something else");
  }
  if (enters_ > spec_.enter_repeats) {
    return finish(DeliveryResult::kUnconfirmed, "the text still stands in the input box after " +
                                                    std::to_string(enters_) + " times Enter");
  }
  return enter(now);
}

bool Delivery::is_shown(const InputView& view) const {
  return view.typed && ours_.is_shown_by(*view.typed);
}

std::string Delivery::enter(TimeMs now) {
  ++enters_;
  go(State::kEntered, now);
  deadline_ = now + kLook;
  return std::string(kEnter);
}

bool Delivery::has_draft(const InputView& view) const {
  if (!view.typed || view.typed->empty()) return false;
  return !left_ || !left_->is_shown_by(*view.typed);
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
