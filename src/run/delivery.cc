#include "run/delivery.h"

#include <algorithm>

#include "base/text.h"
#include "detect/layout.h"
#include "term/keys.h"

namespace orch::run {

using event::AgentStatus;

namespace {

constexpr TimeMs kLook = 50;       // while something is awaited, the screen is looked at this often
constexpr size_t kTailShown = 16;  // this much of a long text's end is enough to recognise it
constexpr std::string_view kEnter = "\r";

// Without blanks, frames and U+00A0: boxes wrap and indent text.
std::string squeeze(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const base::Decoded c = base::decode_utf8(text);
    const bool skip =
        c.code_point <= ' ' || c.code_point == 0xA0 || c.code_point == U'┃' || c.code_point == U'│';
    if (!skip) out.append(text.substr(0, c.length));
    text.remove_prefix(c.length);
  }
  return out;
}

bool prompt_is_free(const InputView& view) {
  if (!event::accepts_input(view.status) || !event::accepts_input(view.sighted)) return false;
  return view.typed.has_value() || !view.box_expected;
}

}  // namespace

std::string_view name(DeliveryResult result) {
  switch (result) {
    case DeliveryResult::kAccepted:
      return "accepted";
    case DeliveryResult::kUnconfirmed:
      return "unconfirmed";
    case DeliveryResult::kBlocked:
      return "blocked";
    case DeliveryResult::kTimeout:
      return "timeout";
    case DeliveryResult::kExited:
      return "exited";
    case DeliveryResult::kWouldBeCommand:
      return "would_be_command";
  }
  return {};
}

std::string normalised_message(std::string_view text) {
  return term::paste_bytes(text, term::PasteMode::kPlain);
}

InputView view_of(const detect::Detector& detector, const term::Screen& screen) {
  const detect::Finding& look = detector.latest();
  return {.status = detector.status(),
          .sighted = look.status,
          .evidence = look.rule != nullptr,
          .typed = look.typed,
          .box_expected = detector.rules().box_prompt || detector.rules().box_side,
          .bracketed_paste = screen.modes().bracketed_paste,
          .last_output = detector.last_output()};
}

Delivery::Delivery(const adapters::InputSpec& spec, const detect::Pattern* placeholder,
                   DeliveryRequest request, TimeMs now)
    : spec_(spec),
      placeholder_(placeholder),
      request_(std::move(request)),
      text_(normalised_message(request_.text)),
      squeezed_(squeeze(text_)),
      since_(now),
      deadline_(now) {}

std::string Delivery::step(TimeMs now, const InputView& view) {
  switch (state_) {
    case State::kGate:
      return at_gate(now, view);
    case State::kStable:
      return at_stable(now, view);
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
  if (!request_.as_command && !text_.empty() &&
      spec_.command_start.find(text_.front()) != std::string::npos) {
    return finish(DeliveryResult::kWouldBeCommand,
                  "the message begins with '" + text_.substr(0, 1) + "'");
  }
  if (prompt_is_free(view)) {
    if (view.typed && !view.typed->empty()) {
      return finish(DeliveryResult::kBlocked, "the input box holds a draft");
    }
    go(State::kStable, now);
    return at_stable(now, view);
  }
  if (view.status == AgentStatus::kWorking || view.status == AgentStatus::kWaiting) {
    waiting_since_.reset();
    deadline_ = kNever;
    return {};
  }
  if (!waiting_since_) waiting_since_ = now;
  const int64_t limit = request_.first ? spec_.start_ms : spec_.send_ms;
  deadline_ = *waiting_since_ + limit;
  if (now < deadline_) return {};
  return finish(DeliveryResult::kTimeout,
                "Prompt detection timeout (" + std::to_string(limit) + "ms)");
}

std::string Delivery::at_stable(TimeMs now, const InputView& view) {
  if (!prompt_is_free(view) || (view.typed && !view.typed->empty())) {
    go(State::kGate, now);
    deadline_ = now + kLook;
    return {};
  }
  deadline_ = since_ + (request_.first ? spec_.start_stability_ms : spec_.stability_ms);
  if (now < deadline_) return {};
  typed_ = true;
  go(State::kTyped, now);
  deadline_ = now + kLook;
  return term::paste_bytes(
      text_, view.bracketed_paste ? term::PasteMode::kBracketed : term::PasteMode::kPlain);
}

std::string Delivery::at_typed(TimeMs now, const InputView& view) {
  deadline_ = now + kLook;
  if (view.sighted == AgentStatus::kWaiting || view.status == AgentStatus::kWaiting) {
    since_ = now;  // the box comes back when the dialog is over
    return {};
  }
  const bool seen = !view.box_expected || (view.typed && shows_our_text(*view.typed));
  if (seen) {
    go(State::kSeen, now);
    deadline_ = now + spec_.enter_delay_ms;
    return {};
  }
  if (now - since_ < spec_.seen_ms) return {};
  return finish(DeliveryResult::kUnconfirmed, "the text did not appear in the input box");
}

std::string Delivery::at_seen(TimeMs now, const InputView& view) {
  if (view.sighted == AgentStatus::kWaiting || (view.box_expected && !view.typed)) {
    go(State::kTyped, now);
    return at_typed(now, view);
  }
  if (now - since_ < spec_.enter_delay_ms) {
    deadline_ = since_ + spec_.enter_delay_ms;
    return {};
  }
  if (view.box_expected && !shows_our_text(*view.typed)) {
    return finish(DeliveryResult::kUnconfirmed, "the text left the input box before Enter");
  }
  return enter(now);
}

std::string Delivery::at_entered(TimeMs now, const InputView& view) {
  const bool works = view.evidence && view.sighted == AgentStatus::kWorking;
  const bool emptied = view.typed && (view.typed->empty() || !shows_our_text(*view.typed));
  const bool dialog = view.sighted == AgentStatus::kWaiting;
  if (works || emptied || dialog || !view.box_expected) return finish(DeliveryResult::kAccepted);
  deadline_ = now + kLook;
  // Without a box nothing is typed, but the wait ends when the last repeat would have ended.
  const int enters = view.typed ? 1 : 1 + spec_.enter_repeats;
  if (now - since_ < spec_.accepted_ms * enters) return {};
  if (!view.typed)
    return finish(DeliveryResult::kUnconfirmed, "the input box went away after Enter");
  if (enters_ > spec_.enter_repeats) {
    return finish(DeliveryResult::kUnconfirmed, "the text still stands in the input box after " +
                                                    std::to_string(enters_) + " times Enter");
  }
  return enter(now);
}

std::string Delivery::enter(TimeMs now) {
  ++enters_;
  go(State::kEntered, now);
  deadline_ = now + kLook;
  return std::string(kEnter);
}

// The whole text, the end of it (long texts scroll inside their box), or what stands for a long
// paste.
bool Delivery::shows_our_text(const std::string& typed) const {
  if (placeholder_ != nullptr && placeholder_->matches(typed)) return true;
  const std::string shown = squeeze(typed);
  if (shown.empty()) return squeezed_.empty();
  if (shown == squeezed_ || squeezed_.starts_with(shown)) return shown.size() == squeezed_.size();
  if (squeezed_.size() <= kTailShown) return shown.find(squeezed_) != std::string::npos;
  return shown.ends_with(squeezed_.substr(squeezed_.size() - kTailShown)) ||
         (shown.size() >= kTailShown && squeezed_.ends_with(shown));
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
  if (!result_) finish(DeliveryResult::kExited, "the agent exited");
}

}  // namespace orch::run
