// The part of the run machine that gets messages in: the run's own and those of others, one after
// another, and what resets and restarts of the agent mean for them.
#include <algorithm>
#include <utility>

#include "run/machine.h"

namespace orch::run {

using event::AgentStatus;
using event::ExitReason;
using Manner = StopAgent::Manner;

namespace {

// Longer than a policy takes to answer a dialog and to see it go: then a message is blocked.
constexpr int64_t kDialogPatienceMs = 5'000;
// What stands before a message of the run's own that alone would be a command to the agent.
constexpr std::string_view kLead = "Please do what follows.";

}  // namespace

std::string Machine::queue(TimeMs now, Outgoing message) {
  message.queued_at = now;
  message.id = "m" + std::to_string(++messages_);
  tell(event::Message{message.id, event::MessagePhase::kQueued, "", 0, message.from});
  queue_.push_back(std::move(message));
  return queue_.back().id;
}

std::string Machine::send(SendRequest request, TimeMs now) {
  std::string id =
      queue(now, {.text = std::move(request.text),
                  .sender = Sender::kOther,
                  .from = std::move(request.from),
                  .as_command = request.as_command,
                  .until_idle = request.until_idle,
                  .awaited = request.awaited,
                  .give_up_at = request.timeout_ms > 0 && request.timeout_ms < kNever - now
                                    ? now + request.timeout_ms
                                    : kNever});
  if (state_ == State::kResting && !step_waits_) start_next();
  return id;
}

void Machine::withdraw(const std::string& id, TimeMs now) {
  const auto is_it = [&id](const Outgoing& message) { return message.id == id; };
  const auto waiting = std::find_if(queue_.begin(), queue_.end(), is_it);
  if (waiting != queue_.end()) {
    tell(event::Message{id, event::MessagePhase::kFailed, "withdrawn"});
    queue_.erase(waiting);
  } else if (state_ == State::kDelivering && current_.id == id && !current_.typed) {
    tell(event::Message{id, event::MessagePhase::kFailed, "withdrawn"});
    // In place, here and below: in the move of a command whose kind it knows GCC 12 sees members of
    // the other kinds that nobody initialized.
    actions_.emplace_back(std::in_place_type<agent::Command>, agent::TakeBack{});
    take_next_step(now);
  }
}

void Machine::start_next() {
  if (queue_.empty()) return;
  current_ = std::move(queue_.front());
  queue_.pop_front();
  const bool own = current_.sender == Sender::kRun;
  command(agent::Deliver{.id = current_.id,
                         .text = current_.text,
                         .lead = own ? std::string(kLead) : "",
                         .as_command = current_.as_command,
                         .dialog_patience_ms = current_.awaited ? kDialogPatienceMs : kNever,
                         .give_up_at = current_.give_up_at});
  state_ = State::kDelivering;
}

bool Machine::is_current(const std::string& id) const {
  return state_ == State::kDelivering && current_.id == id;
}

void Machine::on(TimeMs /*now*/, const agent::MessageTyped& typed) {
  if (!is_current(typed.id)) return;
  current_.typed = true;
  ++messages_sent_;
  tell(event::Message{current_.id, event::MessagePhase::kSent, ""});
}

// What is said from here on answers the message.
void Machine::on(TimeMs /*now*/, const agent::MessageEntered& entered) {
  if (!is_current(entered.id)) return;
  completion_.begin_turn();
  ends_in_tool_ = false;
}

void Machine::on(TimeMs /*now*/, const agent::MessageAccepted& accepted) {
  if (!is_current(accepted.id)) return;
  current_.enters = accepted.enters;
  tell(event::Message{current_.id, event::MessagePhase::kAccepted, "", current_.enters});
  if (!current_.until_idle) report(current_, DeliveryResult::kAccepted, "");
  if (current_.sender == Sender::kOther) held_ = false;
  if (words_ && words_->message == current_.id) end_answer(base::Ok{});
  state_ = State::kTurn;
  ++turns_;
  tell(event::Turn{.n = turns_});
}

void Machine::on(TimeMs now, const agent::MessageFailed& failed) {
  if (!is_current(failed.id)) return;
  current_.enters = failed.enters;
  const std::string reason =
      failed.reason.empty() ? std::string(agent::name(failed.result)) : failed.reason;
  tell(event::Message{current_.id, event::MessagePhase::kFailed, reason});
  report(current_, failed.result, reason);
  if (words_ && words_->message == current_.id) conclude_words("its words were not: " + reason);
  state_ = State::kResting;
  if (current_.sender == Sender::kRun) end_for(failed);
  if (state_ == State::kResting && failed.result != DeliveryResult::kExited) take_next_step(now);
}

// Without its own message a run has nothing to do.
void Machine::end_for(const agent::MessageFailed& failed) {
  std::string detail = "message " + failed.id + ": " + std::string(agent::name(failed.result));
  if (!failed.reason.empty()) detail += ": " + failed.reason;
  switch (failed.result) {
    case DeliveryResult::kBlocked:
      return decide(ExitReason::kNeedsHuman, std::move(detail), Manner::kTerminate);
    case DeliveryResult::kWouldBeCommand:
      return decide(ExitReason::kUsage, std::move(detail), Manner::kPolitely);
    case DeliveryResult::kUnconfirmed:
    case DeliveryResult::kTimeout:
      return decide(ExitReason::kStuck, std::move(detail), Manner::kTerminate);
    case DeliveryResult::kExited:    // on_exit() says how it ended
    case DeliveryResult::kAccepted:  // not a failure
    case DeliveryResult::kUnfinished:
      return;
  }
}

void Machine::report(Outgoing& message, DeliveryResult result, std::string reason) {
  if (message.sender == Sender::kRun || std::exchange(message.told, true)) return;
  actions_.emplace_back(Report{{message.id, result, std::move(reason), message.enters}});
}

// A message that waits behind a turn which stands at a dialog: who awaits its report is not left to
// wait for a person who may never come; where nobody does, it waits as the run's own do. The
// message that is on its way is the driver's to block.
TimeMs Machine::blocked_at(const Outgoing& message) const {
  if (!message.awaited || status_ != AgentStatus::kWaiting) return kNever;
  return std::max(status_since_, message.queued_at) + kDialogPatienceMs;
}

void Machine::report_late(TimeMs now) {
  for (auto message = queue_.begin(); message != queue_.end();) {
    const bool blocked = now >= blocked_at(*message);
    if (!blocked && now < message->give_up_at) {
      ++message;
      continue;
    }
    const std::string reason =
        blocked ? "the agent waits at a dialog" : "the messages before it were not done in time";
    tell(event::Message{message->id, event::MessagePhase::kFailed, reason});
    if (words_ && words_->message == message->id) conclude_words("its words were not: " + reason);
    report(*message, blocked ? DeliveryResult::kBlocked : DeliveryResult::kTimeout, reason);
    message = queue_.erase(message);
  }
  if (state_ == State::kTurn && current_.until_idle && now >= current_.give_up_at) {
    report(current_, DeliveryResult::kUnfinished, "accepted, but its turn was not over in time");
    current_.until_idle = false;
  }
  if (is_held_up() && now >= current_.give_up_at) {
    report(current_, current_.as_command ? DeliveryResult::kTimeout : DeliveryResult::kUnconfirmed,
           "it was typed, and a dialog stands since");
  }
}

// What was typed led to a dialog before it was seen to be taken, which may stand for long.
bool Machine::is_held_up() const {
  return state_ == State::kDelivering && current_.typed && !current_.told &&
         status_ == AgentStatus::kWaiting;
}

// The message that is on its way waits again, or has failed if it was typed.
void Machine::set_aside(std::string_view why) {
  if (state_ == State::kTurn && current_.until_idle) {
    report(current_, DeliveryResult::kAccepted, std::string(why));
  }
  if (state_ != State::kDelivering) return;
  if (current_.typed) {
    tell(event::Message{current_.id, event::MessagePhase::kFailed, std::string(why)});
    report(current_, DeliveryResult::kUnconfirmed, std::string(why));
  } else {
    queue_.push_front(current_);
  }
}

base::Status Machine::reset(TimeMs /*now*/) {
  if (state_ == State::kStopping || state_ == State::kEnded) {
    return base::usage_error("the session is ending");
  }
  if (state_ == State::kResetting) return base::usage_error("the session is being reset already");
  set_aside("the session was reset");
  leave_checks();
  state_ = State::kResetting;
  actions_.emplace_back(std::in_place_type<agent::Command>, agent::Reset{});
  return base::Ok{};
}

void Machine::on(TimeMs now, const agent::ResetEnded& ended) {
  if (state_ != State::kResetting) return;
  if (!ended.cleared) {
    actions_.emplace_back(RestartAgent{});  // on_restart() comes
    return;
  }
  actions_.emplace_back(TellReset{TellReset::How::kCleared});
  begin_anew(now);
}

void Machine::on_restart(TimeMs now) {
  if (state_ == State::kStopping || state_ == State::kEnded) return;
  set_aside("the agent was restarted");
  if (state_ == State::kResetting) {
    actions_.emplace_back(TellReset{TellReset::How::kRestarted});
  }
  begin_anew(now);
}

// The conversation is empty: a run that has a task gives it again before what waits to be said,
// also where it stays at its prompt afterwards (--until exit). An agent with a role is told that in
// its place.
void Machine::begin_anew(TimeMs now) {
  leave_checks();
  facts_.turn_over = false;
  completion_.begin_turn();
  held_ = looks_for_life_ = step_waits_ = false;
  dialog_.reset();
  conclude_answer("the conversation was begun anew before the answer was typed");
  conclude_words("the conversation was begun anew before its words were typed");
  silent_at_ = kNever;
  alive_at_ = now;
  novelty_ = {};
  state_ = State::kResting;
  std::erase_if(queue_, [this](const Outgoing& message) {
    const bool is_task = message.task && plan_.role.empty();
    const bool moot = message.sender == Sender::kRun && !is_task;
    if (moot) {
      tell(event::Message{message.id, event::MessagePhase::kFailed, "the conversation was reset"});
    }
    return moot;
  });
  const std::string& first = plan_.role.empty() ? plan_.prompt : plan_.role;
  const bool waits = std::any_of(queue_.begin(), queue_.end(),
                                 [](const Outgoing& message) { return message.task; });
  if (!first.empty() && !waits) {
    queue(now, {.text = first, .task = true});
    std::rotate(queue_.begin(), queue_.end() - 1, queue_.end());
  }
  start_next();
}

}  // namespace orch::run
