#include "run/machine.h"

#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "run/completion.h"

namespace orch::run {

using event::AgentStatus;
using event::Cause;
using event::ExitReason;
using Manner = StopAgent::Manner;

namespace {

// A dialog must have stood for this long before the run ends on it: some flash by.
constexpr int64_t kDialogStandsMs = 1'000;
// An agent that took a message but was never seen at work is taken to be done after this long. Slow
// hosts draw the first sign of work seconds late.
constexpr int64_t kUnseenTurnMs = 10'000;

std::optional<detect::Pattern> placeholder_of(const adapters::InputSpec& input) {
  if (input.paste_placeholder.empty()) return std::nullopt;
  base::Result<detect::Pattern> pattern = detect::Pattern::compile(input.paste_placeholder);
  ORCH_CHECK(pattern.ok());  // checked when the manifest was read
  return std::move(pattern).value();
}

}  // namespace

int exit_code(const Verdict& verdict) {
  return event::exit_code(verdict.reason, verdict.agent_signal);
}

Machine::Machine(RunPlan plan, const adapters::Manifest& manifest, TimeMs now)
    : plan_(std::move(plan)),
      manifest_(manifest),
      placeholder_(placeholder_of(manifest.input)),
      started_(now),
      status_since_(now) {
  if (!plan_.prompt.empty()) send(plan_.prompt, now);
}

void Machine::send(std::string text, TimeMs now) {
  ++messages_;
  delivery_.emplace(manifest_.input, placeholder_ ? &*placeholder_ : nullptr,
                    DeliveryRequest{std::move(text), messages_ == 1, false}, now);
  state_ = State::kDelivering;
  tell(event::Message{"m" + std::to_string(messages_), event::MessagePhase::kQueued, ""});
}

void Machine::on_status(TimeMs now, const event::StatusChange& change) {
  if (change.status != status_ || change.cause != cause_) status_since_ = now;
  status_ = change.status;
  cause_ = change.cause;
  const bool seen_at_work = status_ == AgentStatus::kWorking && cause_ != Cause::kSubmitted;
  if (seen_at_work || status_ == AgentStatus::kError) worked_ = true;
  if (status_ == AgentStatus::kWaiting) worked_ = true;
  if (state_ == State::kTurn) consider_turn_end(now);
}

void Machine::on_line(const Line& line) {
  if (says_complete(line, plan_.keyword)) complete_ = true;
  worked_ = worked_ || line.speaker == Speaker::kAgent;
}

void Machine::on_look(TimeMs now, const InputView& view, const detect::Detector& detector) {
  if (state_ == State::kStopping || state_ == State::kEnded) return;
  if (plan_.timeout_ms > 0 && now - started_ >= plan_.timeout_ms) {
    decide(ExitReason::kTimeout,
           "--timeout " + std::to_string(plan_.timeout_ms / 1000) + "s passed", Manner::kTerminate);
    return;
  }
  if (status_ == AgentStatus::kWaiting && manifest_.idle_known) consider_dialog(now, detector);
  if (state_ == State::kDelivering) step_delivery(now, view);
  if (state_ == State::kTurn) consider_turn_end(now);
}

void Machine::step_delivery(TimeMs now, const InputView& view) {
  const bool typed_before = delivery_->typed_anything();
  const int enters_before = delivery_->enters();
  std::string bytes = delivery_->step(now, view);
  if (enters_before == 0 && delivery_->enters() > 0) {  // what is said from here on answers it
    complete_ = false;
    worked_ = false;
  }
  if (!bytes.empty()) actions_.push_back(Write{std::move(bytes)});
  if (!typed_before && delivery_->typed_anything()) {
    tell(event::Message{"m" + std::to_string(messages_), event::MessagePhase::kSent, ""});
  }
  if (!delivery_->result()) return;
  if (*delivery_->result() == DeliveryResult::kAccepted) {
    on_accepted(now);
  } else {
    on_delivery_failed(*delivery_);
  }
}

void Machine::on_accepted(TimeMs now) {
  tell(event::Message{"m" + std::to_string(messages_), event::MessagePhase::kAccepted, ""});
  delivery_.reset();
  state_ = State::kTurn;
  accepted_at_ = now;
  worked_ = worked_ || (status_ == AgentStatus::kWorking && cause_ != Cause::kSubmitted);
  ++turns_;
  tell(event::Turn{turns_});
}

void Machine::on_delivery_failed(const Delivery& delivery) {
  const DeliveryResult result = *delivery.result();
  std::string detail = "message m" + std::to_string(messages_) + ": " + std::string(name(result));
  if (!delivery.reason().empty()) detail += ": " + delivery.reason();
  tell(event::Message{"m" + std::to_string(messages_), event::MessagePhase::kFailed,
                      delivery.reason().empty() ? std::string(name(result)) : delivery.reason()});
  switch (result) {
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

void Machine::consider_turn_end(TimeMs now) {
  if (!event::accepts_input(status_)) return;
  if (worked_ || now - accepted_at_ >= kUnseenTurnMs) on_turn_ended(now);
}

void Machine::on_turn_ended(TimeMs now) {
  state_ = State::kResting;
  if (plan_.until == Until::kComplete && complete_) {
    return decide(ExitReason::kComplete, "", Manner::kPolitely);
  }
  if (status_ == AgentStatus::kError) {
    const bool later = cause_ == Cause::kRateLimit || cause_ == Cause::kOverloaded;
    return decide(later ? ExitReason::kRetryLater : ExitReason::kAgentError,
                  "the turn ended in an error: " + std::string(event::name(cause_)),
                  Manner::kPolitely);
  }
  switch (plan_.until) {
    case Until::kIdle:
      return decide(ExitReason::kIdle, "", Manner::kPolitely);
    case Until::kExit:
      return;
    case Until::kComplete:
      break;
  }
  if (turns_ >= plan_.max_turns) {
    return decide(ExitReason::kTurns,
                  "the agent did not say " + plan_.keyword + " in " + std::to_string(turns_) +
                      (turns_ == 1 ? " turn" : " turns"),
                  Manner::kPolitely);
  }
  send(continue_message(plan_.keyword), now);
}

void Machine::consider_dialog(TimeMs now, const detect::Detector& detector) {
  if (now - status_since_ < kDialogStandsMs) return;
  const detect::DialogView dialog = detector.dialog();
  tell(event::Dialog{cause_, dialog.title, dialog.body, dialog.options, "", ""});
  decide(ExitReason::kNeedsHuman, detect::describe(dialog), Manner::kTerminate);
}

void Machine::decide(ExitReason reason, std::string detail, Manner manner) {
  if (state_ == State::kStopping || state_ == State::kEnded) return;
  verdict_ = Verdict{.reason = reason,
                     .detail = std::move(detail),
                     .agent_code = std::nullopt,
                     .agent_signal = 0,
                     .retry_after_s = std::nullopt};
  state_ = State::kStopping;
  actions_.push_back(StopAgent{manner});
}

void Machine::on_signal(int signum) {
  ++interrupts_;
  if (state_ == State::kStopping) {
    if (interrupts_ > 1) actions_.push_back(StopAgent{Manner::kNow});
    return;
  }
  const bool dialog = status_ == AgentStatus::kWaiting;
  decide(signum == SIGINT ? ExitReason::kInterrupted : ExitReason::kTerminated, "",
         dialog || signum != SIGINT ? Manner::kTerminate : Manner::kPolitely);
}

void Machine::on_kill(bool at_once) {
  if (state_ == State::kStopping) {
    if (at_once) actions_.push_back(StopAgent{Manner::kNow});
    return;
  }
  decide(ExitReason::kKilled, "", at_once ? Manner::kNow : Manner::kTerminate);
}

void Machine::on_failure(std::string detail) {
  decide(ExitReason::kInternal, std::move(detail), Manner::kTerminate);
}

void Machine::on_exit(int code, int signal) {
  if (state_ == State::kEnded) return;
  if (delivery_ && !delivery_->result()) {
    delivery_->on_exit();
    on_delivery_failed(*delivery_);
  }
  if (!verdict_) verdict_ = verdict_of_exit(code, signal);
  if (signal == 0) verdict_->agent_code = code;
  state_ = State::kEnded;
  tell(event::Exit{exit_code(*verdict_), verdict_->reason});
}

Verdict Machine::verdict_of_exit(int code, int signal) const {
  Verdict verdict;
  if (signal != 0) {
    verdict.reason = ExitReason::kAgentSignal;
    verdict.agent_signal = signal;
    verdict.detail = "the agent died of signal " + std::to_string(signal);
  } else if (code != 0) {
    verdict.reason = ExitReason::kAgentFailed;
    verdict.detail = "the agent exited with " + std::to_string(code);
  } else if (plan_.until == Until::kExit) {
    verdict.reason = ExitReason::kExit;
  } else if (plan_.until == Until::kComplete && complete_) {
    verdict.reason = ExitReason::kComplete;
  } else {
    verdict.reason = ExitReason::kExitedEarly;
    verdict.detail = plan_.until == Until::kIdle ? "the agent exited before it was idle"
                                                 : "the agent exited without " + plan_.keyword;
  }
  return verdict;
}

TimeMs Machine::next_deadline() const {
  if (state_ == State::kStopping || state_ == State::kEnded) return kNever;
  TimeMs next = plan_.timeout_ms > 0 ? started_ + plan_.timeout_ms : kNever;
  if (delivery_) next = std::min(next, delivery_->next_deadline());
  if (status_ == AgentStatus::kWaiting && manifest_.idle_known) {
    next = std::min(next, status_since_ + kDialogStandsMs);
  }
  if (state_ == State::kTurn && event::accepts_input(status_)) {
    next = std::min(next, accepted_at_ + kUnseenTurnMs);
  }
  return next;
}

std::vector<Action> Machine::take_actions() { return std::exchange(actions_, {}); }

}  // namespace orch::run
