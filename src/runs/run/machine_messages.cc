// The part of the run machine that delivers messages, the run's own and those of others, one after
// the other, and handles resets and restarts of the agent.
#include <algorithm>
#include <utility>

#include "run/machine.h"

namespace orch::run {

using event::AgentStatus;
using event::ExitReason;
using Manner = StopAgent::Manner;

namespace {

// How long a message waits at a dialog before it is blocked. A policy needs less to answer the
// dialog and to see it go.
constexpr int64_t kDialogPatienceMs = 5'000;
// The line that is put before a message of the run if the agent would take it for a command.
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
    // The action is constructed in place, here and below: if a command of a known kind is moved,
    // GCC 12 warns of uninitialized members of the other kinds.
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

// From now on the agent's words answer the message.
void Machine::on(TimeMs /*now*/, const agent::MessageEntered& entered) {
  if (!is_current(entered.id)) return;
  completion_.begin_turn();
  ends_in_tool_ = false;
}

void Machine::on(TimeMs now, const agent::MessageAccepted& accepted) {
  if (!is_current(accepted.id)) return;
  current_.enters = accepted.enters;
  tell(event::Message{current_.id, event::MessagePhase::kAccepted, "", current_.enters});
  if (!current_.until_idle) report(current_, DeliveryResult::kAccepted, "");
  if (current_.sender == Sender::kOther) held_ = false;
  if (words_ && words_->message == current_.id) end_answer(base::Ok{});
  state_ = State::kTurn;
  turn_since_ = now;
  ++turns_;
  tell(event::Turn{.n = turns_});
  expect_check(now);
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

// Ends the run because its own message has failed: without it the run has no work.
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

// When a message in the queue is blocked by a dialog of the turn before it. If somebody awaits its
// report, it does not wait for a user who may never come; otherwise it waits, as the run's own
// messages do. The message that is being delivered is blocked by the driver.
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

// Whether the message was typed and a dialog opened before the agent was seen to accept it. The
// dialog may be open for long.
bool Machine::is_held_up() const {
  return state_ == State::kDelivering && current_.typed && !current_.told &&
         status_ == AgentStatus::kWaiting;
}

// Puts the message that is being delivered back into the queue; if it was typed, it has failed.
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
    actions_.emplace_back(RestartAgent{});  // the owner will call on_restart()
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

// The conversation is empty. A run that has a task gives it to the agent again, before all waiting
// messages, even if the session stays afterwards (--until exit). An agent with a role gets its role
// instead.
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
