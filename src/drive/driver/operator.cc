#include "driver/operator.h"

#include <algorithm>
#include <utility>

#include "detect/typed_keys.h"

namespace orch::driver {

using event::AgentStatus;
using event::Cause;

namespace {

// If an agent accepted a message but was never seen working, its turn counts as over after this
// long. Slow hosts draw the first sign of work seconds late.
constexpr int64_t kUnseenTurnMs = 10'000;
// The same for a command: most of them are done at once and show no work.
constexpr int64_t kUnseenCommandMs = 1'500;

// Whether the key may put text into the input box or submit the text in it.
bool may_fill_box(detect::TypedKey key) {
  return key == detect::TypedKey::kText || key == detect::TypedKey::kChoice ||
         key == detect::TypedKey::kEnter;
}

constexpr size_t kRepliesKept = 4096;  // bytes; agents send their queries when they start

bool is_work(AgentStatus status, Cause cause) {
  return status == AgentStatus::kWorking && cause != Cause::kSubmitted &&
         cause != Cause::kBackground;
}

}  // namespace

Operator::Operator(const adapters::Manifest& manifest, bool resumes)
    : manifest_(manifest), placeholder_(placeholder_pattern(manifest.input.paste_placeholder)) {
  if (manifest.input.started.empty() || resumes) return;
  started_ = base::Pattern::compile(manifest.input.started, base::Compiled::kWhenSearched).value();
}

Operator::~Operator() = default;

std::vector<agent::News> Operator::take_news() { return std::exchange(news_, {}); }

void Operator::tell(agent::News news) { news_.push_back(std::move(news)); }

void Operator::command(TimeMs now, const agent::Command& command) {
  std::visit([this, now](const auto& one) { perform(now, one); }, command);
}

void Operator::perform(TimeMs now, const agent::Deliver& deliver) {
  DeliveryRequest request;
  request.text = deliver.text;
  request.lead = deliver.lead;
  request.first = fresh_;
  request.as_command = deliver.as_command;
  request.dialog_patience_ms = deliver.dialog_patience_ms;
  request.give_up_at = deliver.give_up_at;
  // An agent may bring a message back into its box when it is interrupted before it has answered.
  request.left = left_in_box_.empty() ? accepted_ : left_in_box_;
  request.left_unseen = left_unseen_;
  request.clear_first = !left_in_box_.empty() && !(hand_typed_at_ && *hand_typed_at_ >= left_at_);
  request.echo_ms = echo_ms_;
  message_ = deliver.id;
  as_command_ = deliver.as_command;
  turn_.reset();
  delivery_.emplace(manifest_.input, placeholder_ ? &*placeholder_ : nullptr, std::move(request),
                    now);
}

void Operator::perform(TimeMs /*now*/, const agent::TakeBack& /*take_back*/) {
  if (delivery_ && !delivery_->typed_anything()) delivery_.reset();
}

void Operator::perform(TimeMs now, const agent::Answer& answer) {
  if (answer.options) {
    desk_.choose(now, *answer.options);
  } else {
    desk_.leave(now);
  }
}

void Operator::perform(TimeMs now, const agent::Reset& /*reset*/) {
  forget_delivery();
  turn_.reset();
  worked_ = false;
  reset_.emplace(manifest_, placeholder_ ? &*placeholder_ : nullptr, now);
}

void Operator::on_status(TimeMs now, const event::StatusChange& change) {
  status_ = change.status;
  cause_ = change.cause;
  if (is_work(status_, cause_) || status_ == AgentStatus::kError ||
      status_ == AgentStatus::kWaiting) {
    worked_ = true;
  }
  consider_turn_end(now);
}

void Operator::on_line(const agent::Line& line) {
  worked_ = worked_ || line.speaker == agent::Speaker::kAgent;
}

// A message that a user types by hand begins a turn, as a message of ours does. A key that
// interrupts the agent is reported as Interrupted.
void Operator::on_typed(TimeMs now, std::string_view bytes) {
  const detect::TypedKey key = detect::read_typed(bytes);
  if (may_fill_box(key)) hand_typed_at_ = now;
  switch (key) {
    case detect::TypedKey::kEnter:
      if (delivery_ || reset_ || turn_ || !event::accepts_input(status_)) return;
      turn_ = Turn{.accepted_at = now, .command = true, .by_hand = true};
      worked_ = false;
      break;
    case detect::TypedKey::kEscape:
    case detect::TypedKey::kInterrupt:
      if (status_ == AgentStatus::kWorking || status_ == AgentStatus::kWaiting) {
        tell(agent::Interrupted{});
      }
      break;
    case detect::TypedKey::kNothing:
    case detect::TypedKey::kText:
    case detect::TypedKey::kChoice:
      break;
  }
}

void Operator::on_replied(std::string_view replies) {
  replies_.append(replies.substr(0, kRepliesKept - std::min(replies_.size(), kRepliesKept)));
}

void Operator::look(TimeMs now, InputView view, const detect::Detector& detector,
                    const term::Screen& screen) {
  view.hand_typed_at = hand_typed_at_;
  if (delivery_ || failed_) view.below = below_box(detector);
  view.holds_replies = view.typed && !hand_typed_at_ && may_be_replies(*view.typed, replies_);
  view.started = fresh_ && delivery_ && sees_start_over(detector);
  if (view.attended != attended_) {
    attended_ = view.attended;
    tell(agent::Attended{attended_});
  }
  if (failed_) {
    failed_->follow_output(now, view);
    view.enter_unseen = failed_->enter_is_unseen(now);
    if (!view.enter_unseen) failed_.reset();
  }
  step_dialog(now, view, detector, screen);
  if (reset_) step_reset(now, view, screen);
  if (delivery_) step_delivery(now, view);
  consider_turn_end(now);
}

bool Operator::sees_start_over(const detect::Detector& detector) const {
  const detect::Layout& layout = detector.layout();
  if (!started_ || !layout.box) return false;
  for (int row = 0; row < layout.box_top; ++row) {
    if (started_->matches(detector.rows()[row].text)) return true;
  }
  return false;
}

void Operator::step_dialog(TimeMs now, const InputView& view, const detect::Detector& detector,
                           const term::Screen& screen) {
  const bool waiting = status_ == AgentStatus::kWaiting && manifest_.idle_known;
  if (!waiting && desk_.state() == DialogDesk::State::kNone) return;
  DialogLook look = dialog_look(detector, screen);
  look.waiting = waiting && !detector.call_waits() && view.sighted == AgentStatus::kWaiting &&
                 !view.keyboard_busy;
  look.cause = cause_;
  look.keyboard_free = !view.keyboard_busy;
  look.resizable = view.resizable;
  look.works = view.sighted == AgentStatus::kWorking && view.evidence;
  const int keys_before = desk_.keys_typed();
  write(desk_.step(now, look));
  if (keys_before == 0 && desk_.keys_typed() > 0) tell(agent::DialogTyped{});
  if (std::optional<agent::DialogRequest> request = desk_.take_request()) {
    tell(agent::DialogOpened{*std::move(request), desk_.take_reason().value_or("")});
    dialog_open_ = true;
  } else if (std::optional<std::string> reason = desk_.take_reason()) {
    tell(agent::DialogLeft{*std::move(reason)});
  }
  using State = DialogDesk::State;
  const bool open = desk_.state() != State::kNone && desk_.state() != State::kReading;
  if (dialog_open_ && !open) {
    dialog_open_ = false;
    tell(agent::DialogClosed{});
  }
}

void Operator::step_delivery(TimeMs now, const InputView& view) {
  const bool typed_before = delivery_->typed_anything();
  const int enters_before = delivery_->enters();
  write(delivery_->step(now, view));
  if (!typed_before && delivery_->typed_anything()) {
    fresh_ = false;
    left_in_box_.clear();
    tell(agent::MessageTyped{message_});
  }
  if (enters_before == 0 && delivery_->enters() > 0) {
    worked_ = false;
    tell(agent::MessageEntered{message_});
  }
  echo_ms_ = delivery_->echo_ms().value_or(echo_ms_);
  if (!delivery_->result()) return;
  if (*delivery_->result() == DeliveryResult::kAccepted) {
    failed_.reset();
    tell(agent::MessageAccepted{message_, delivery_->enters()});
    accepted_ = delivery_->text();
    delivery_.reset();
    turn_ = Turn{.accepted_at = now, .command = as_command_, .by_hand = false};
    worked_ = worked_ || is_work(status_, cause_);
    return;
  }
  const agent::MessageFailed failed{message_, *delivery_->result(), delivery_->reason(),
                                    delivery_->enters()};
  forget_delivery();
  tell(failed);
}

// Ends the delivery. The text that it has typed probably is still in the input box, so it is
// remembered and the next message clears it away.
void Operator::forget_delivery() {
  if (delivery_ && delivery_->typed_anything()) {
    left_in_box_ = delivery_->text();
    left_at_ = delivery_->typed_at();
    left_unseen_ = !delivery_->echo_ms();
    if (delivery_->enters() > 0) failed_.emplace(*std::move(delivery_));
  }
  delivery_.reset();
}

void Operator::step_reset(TimeMs now, const InputView& view, const term::Screen& screen) {
  write(reset_->step(now, view, screen.modes().application_cursor));
  if (!reset_->outcome()) return;
  const bool cleared = *reset_->outcome() == Reset::Outcome::kCleared;
  reset_.reset();
  if (cleared) {
    left_in_box_.clear();
    accepted_.clear();
  }
  tell(agent::ResetEnded{cleared});
}

TimeMs Operator::turn_deadline() const {
  if (!turn_ || !event::accepts_input(status_)) return kNever;
  return turn_->accepted_at + (turn_->command ? kUnseenCommandMs : kUnseenTurnMs);
}

void Operator::consider_turn_end(TimeMs now) {
  if (!turn_ || !event::accepts_input(status_)) return;
  if (!worked_ && now < turn_deadline()) return;
  const bool was_none = turn_->by_hand && !worked_;
  turn_.reset();
  if (!was_none) tell(agent::TurnEnded{});
}

void Operator::on_exit() {
  if (!delivery_) return;
  delivery_->on_exit();
  if (*delivery_->result() == DeliveryResult::kAccepted) {
    failed_.reset();
    tell(agent::MessageAccepted{message_, delivery_->enters()});
  } else {
    tell(agent::MessageFailed{message_, *delivery_->result(), delivery_->reason(),
                              delivery_->enters()});
  }
  delivery_.reset();
}

TimeMs Operator::next_deadline() const {
  TimeMs next = std::min(desk_.next_deadline(), turn_deadline());
  if (delivery_) next = std::min(next, delivery_->next_deadline());
  if (reset_) next = std::min(next, reset_->next_deadline());
  return next;
}

bool Operator::holds_keyboard() const {
  return reset_ || (delivery_ && delivery_->holds_keyboard());
}

void Operator::write(std::string bytes) {
  if (!bytes.empty()) writes_.push_back(std::move(bytes));
}

}  // namespace orch::driver
