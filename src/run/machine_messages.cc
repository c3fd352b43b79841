// The part of the run machine that gets messages in: the run's own and those of others, one after
// another, and what resets and restarts of the agent mean for them.
#include <algorithm>

#include "run/machine.h"

namespace orch::run {

using event::AgentStatus;
using event::Cause;
using event::ExitReason;
using Manner = StopAgent::Manner;

std::string Machine::queue(Outgoing message) {
  message.id = "m" + std::to_string(++messages_);
  tell(event::Message{message.id, event::MessagePhase::kQueued, ""});
  queue_.push_back(std::move(message));
  return queue_.back().id;
}

std::string Machine::send(SendRequest request, TimeMs now) {
  std::string id = queue({.text = std::move(request.text),
                          .sender = Sender::kOther,
                          .as_command = request.as_command,
                          .until_idle = request.until_idle,
                          .give_up_at = request.timeout_ms > 0 && request.timeout_ms < kNever - now
                                            ? now + request.timeout_ms
                                            : kNever});
  if (state_ == State::kResting) start_next(now);
  return id;
}

void Machine::withdraw(const std::string& id, TimeMs now) {
  const auto is_it = [&id](const Outgoing& message) { return message.id == id; };
  const auto waiting = std::find_if(queue_.begin(), queue_.end(), is_it);
  if (waiting != queue_.end()) {
    tell(event::Message{id, event::MessagePhase::kFailed, "withdrawn"});
    queue_.erase(waiting);
  } else if (current_.id == id && delivery_ && !delivery_->typed_anything()) {
    tell(event::Message{id, event::MessagePhase::kFailed, "withdrawn"});
    delivery_.reset();
    take_next_step(now);
  }
}

void Machine::start_next(TimeMs now) {
  if (queue_.empty()) return;
  current_ = std::move(queue_.front());
  queue_.pop_front();
  DeliveryRequest request;
  request.text = current_.text;
  request.first = fresh_;
  request.as_command = current_.as_command;
  request.give_up_at = current_.give_up_at;
  request.left = left_in_box_;
  if (current_.sender == Sender::kOther) request.dialog_patience_ms = driver::kDialogPatienceMs;
  delivery_.emplace(manifest_.input, placeholder_ ? &*placeholder_ : nullptr, std::move(request),
                    now);
  state_ = State::kDelivering;
}

void Machine::step_delivery(TimeMs now, const InputView& view) {
  const bool typed_before = delivery_->typed_anything();
  const int enters_before = delivery_->enters();
  std::string bytes = delivery_->step(now, view);
  if (enters_before == 0 && delivery_->enters() > 0) {  // what is said from here on answers it
    complete_ = false;
    worked_ = false;
  }
  current_.enters = delivery_->enters();
  if (!bytes.empty()) actions_.push_back(Write{std::move(bytes)});
  if (!typed_before && delivery_->typed_anything()) {
    ++messages_sent_;
    fresh_ = false;
    left_in_box_.clear();
    tell(event::Message{current_.id, event::MessagePhase::kSent, ""});
  }
  if (!delivery_->result()) return;
  if (*delivery_->result() == DeliveryResult::kAccepted) return on_accepted(now);
  on_delivery_failed(*delivery_);
  if (state_ != State::kDelivering) return;
  delivery_.reset();
  take_next_step(now);
}

void Machine::on_accepted(TimeMs now) {
  tell(event::Message{current_.id, event::MessagePhase::kAccepted, "", current_.enters});
  if (!current_.until_idle) report(current_, DeliveryResult::kAccepted, "");
  delivery_.reset();
  state_ = State::kTurn;
  accepted_at_ = now;
  worked_ = worked_ || (status_ == AgentStatus::kWorking && cause_ != Cause::kSubmitted);
  ++turns_;
  tell(event::Turn{turns_});
}

void Machine::on_delivery_failed(const Delivery& delivery) {
  const DeliveryResult result = *delivery.result();
  const std::string reason =
      delivery.reason().empty() ? std::string(name(result)) : delivery.reason();
  if (delivery.typed_anything()) left_in_box_ = delivery.text();
  tell(event::Message{current_.id, event::MessagePhase::kFailed, reason});
  report(current_, result, reason);
  if (current_.sender == Sender::kRun) end_for(delivery);
}

// Without its own message a run has nothing to do.
void Machine::end_for(const Delivery& delivery) {
  std::string detail = "message " + current_.id + ": " + std::string(name(*delivery.result()));
  if (!delivery.reason().empty()) detail += ": " + delivery.reason();
  switch (*delivery.result()) {
    case DeliveryResult::kBlocked:
      return decide(ExitReason::kNeedsHuman, std::move(detail), Manner::kTerminate);
    case DeliveryResult::kWouldBeCommand:
      return decide(ExitReason::kUsage, std::move(detail), Manner::kPolitely);
    case DeliveryResult::kUnconfirmed:
    case DeliveryResult::kTimeout:
      return decide(ExitReason::kStuck, std::move(detail), Manner::kTerminate);
    case DeliveryResult::kExited:    // on_exit() says how it ended
    case DeliveryResult::kAccepted:  // not a failure
      return;
  }
}

void Machine::report(const Outgoing& message, DeliveryResult result, std::string reason) {
  if (message.sender == Sender::kRun) return;
  actions_.push_back(Report{{message.id, result, std::move(reason), message.enters}});
}

void Machine::report_late(TimeMs now) {
  for (auto message = queue_.begin(); message != queue_.end();) {
    if (now < message->give_up_at) {
      ++message;
      continue;
    }
    const std::string reason = "the messages before it were not done in time";
    tell(event::Message{message->id, event::MessagePhase::kFailed, reason});
    report(*message, DeliveryResult::kTimeout, reason);
    message = queue_.erase(message);
  }
  if (state_ == State::kTurn && current_.until_idle && now >= current_.give_up_at) {
    report(current_, DeliveryResult::kTimeout, "accepted, but its turn was not over in time");
    current_.until_idle = false;
  }
}

// The message that is on its way waits again, or has failed if it was typed.
void Machine::set_aside(std::string_view why) {
  if (state_ == State::kTurn && current_.until_idle) {
    report(current_, DeliveryResult::kAccepted, std::string(why));
  }
  if (!delivery_) return;
  if (delivery_->typed_anything()) {
    tell(event::Message{current_.id, event::MessagePhase::kFailed, std::string(why)});
    report(current_, DeliveryResult::kUnconfirmed, std::string(why));
  } else {
    queue_.push_front(current_);
  }
  delivery_.reset();
}

base::Status Machine::reset(TimeMs now) {
  if (state_ == State::kStopping || state_ == State::kEnded) {
    return base::usage_error("the session is ending");
  }
  if (state_ == State::kResetting) return base::usage_error("the session is being reset already");
  set_aside("the session was reset");
  complete_ = worked_ = false;
  reset_.emplace(manifest_, placeholder_ ? &*placeholder_ : nullptr, now);
  state_ = State::kResetting;
  return base::Ok{};
}

void Machine::step_reset(TimeMs now, const InputView& view, const term::Screen& screen) {
  if (!reset_) return;  // on_restart() comes
  std::string bytes = reset_->step(now, view, screen.modes().application_cursor);
  if (!bytes.empty()) actions_.push_back(Write{std::move(bytes)});
  if (!reset_->outcome()) return;
  if (*reset_->outcome() == Reset::Outcome::kFailed) {
    reset_.reset();
    actions_.push_back(RestartAgent{});
    return;
  }
  reset_.reset();
  left_in_box_.clear();
  actions_.push_back(TellReset{TellReset::How::kCleared});
  state_ = State::kResting;
  start_next(now);
}

void Machine::on_restart(TimeMs now) {
  if (state_ == State::kStopping || state_ == State::kEnded) return;
  set_aside("the agent was restarted");
  if (state_ == State::kResetting) actions_.push_back(TellReset{TellReset::How::kRestarted});
  reset_.reset();
  left_in_box_.clear();
  fresh_ = true;
  state_ = State::kResting;
  start_next(now);
}

}  // namespace orch::run
