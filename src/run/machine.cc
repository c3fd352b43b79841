#include "run/machine.h"

#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "run/completion.h"
#include "run/limit_reset.h"

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
// The same for a command: most of them are done at once and are no work.
constexpr int64_t kUnseenCommandMs = 1'500;
// How long a silent agent's processes are looked at for signs of life: bursts of work in an idle
// one come seconds apart, and a user who asks for a short time waits for the answer.
constexpr int64_t kShortestLookMs = 2'000;
constexpr int64_t kLongestLookMs = 10'000;
// What an agent is told, once, when the limit that it met has ended.
constexpr std::string_view kResumeMessage = "The limit has ended. Please continue.";

std::optional<base::Pattern> placeholder_of(const adapters::InputSpec& input) {
  if (input.paste_placeholder.empty()) return std::nullopt;
  base::Result<base::Pattern> pattern = base::Pattern::compile(input.paste_placeholder);
  ORCH_CHECK(pattern.ok());  // checked when the manifest was read
  return std::move(pattern).value();
}

}  // namespace

int exit_code(const Verdict& verdict) {
  return event::exit_code(verdict.reason, verdict.agent_signal);
}

Machine::Machine(RunPlan plan, const adapters::Manifest& manifest, TimeMs now)
    : plan_(std::move(plan)),
      policy_(plan_.policy ? plan_.policy
                           : std::make_shared<policy::Policy>(policy::Policy::none())),
      manifest_(manifest),
      placeholder_(placeholder_of(manifest.input)),
      desk_(*policy_, manifest.name, plan_.work_dir),
      started_(now),
      status_since_(now) {
  if (!plan_.prompt.empty()) queue({.text = plan_.prompt});
  start_next(now);
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

void Machine::on_look(TimeMs now, const InputView& view, const detect::Detector& detector,
                      const term::Screen& screen) {
  if (state_ == State::kStopping || state_ == State::kEnded) return;
  if (plan_.timeout_ms > 0 && now - started_ >= plan_.timeout_ms) {
    decide(ExitReason::kTimeout,
           "--timeout " + std::to_string(plan_.timeout_ms / 1000) + "s passed", Manner::kTerminate);
    return;
  }
  const bool waiting = status_ == AgentStatus::kWaiting && manifest_.idle_known;
  if (waiting || desk_.state() != DialogDesk::State::kNone) {
    DialogLook look = driver::dialog_look(detector, screen);
    look.waiting = waiting && view.sighted == AgentStatus::kWaiting && !view.keyboard_busy;
    look.cause = cause_;
    consider_dialog(now, look);
    if (state_ == State::kStopping) return;
  }
  consider_silence(now, detector.last_output());
  if (state_ == State::kResetting) step_reset(now, view, screen);
  if (state_ == State::kLimited && resume_at_ && now >= *resume_at_) resume(now);
  report_late(now);
  if (state_ == State::kDelivering) step_delivery(now, view);
  if (state_ == State::kTurn) consider_turn_end(now);
  if (state_ == State::kResting) start_next(now);
}

int64_t Machine::unseen_turn_ms() const {
  return current_.as_command ? kUnseenCommandMs : kUnseenTurnMs;
}

void Machine::consider_turn_end(TimeMs now) {
  if (!event::accepts_input(status_)) return;
  if (worked_ || now - accepted_at_ >= unseen_turn_ms()) on_turn_ended(now);
}

void Machine::on_turn_ended(TimeMs now) {
  if (current_.until_idle) report(current_, DeliveryResult::kAccepted, "");
  take_next_step(now);
}

// The agent rests: what now?
void Machine::take_next_step(TimeMs now) {
  state_ = State::kResting;
  if (!queue_.empty()) return start_next(now);
  if (turns_ == 0) return;
  if (plan_.until == Until::kComplete && complete_) {
    return decide(ExitReason::kComplete, "", Manner::kPolitely);
  }
  // Who sent a message to a session that stays is told of the error by its status.
  const bool stays = plan_.until == Until::kExit;
  if (status_ == AgentStatus::kError && !(stays && current_.sender == Sender::kOther)) {
    if (cause_ == Cause::kRateLimit || cause_ == Cause::kOverloaded) {
      state_ = State::kLimited;
      resume_at_.reset();
      actions_.push_back(FindLimitEnd{});
      return;
    }
    return decide(ExitReason::kAgentError,
                  "the turn ended in an error: " + std::string(event::name(cause_)),
                  Manner::kPolitely);
  }
  limits_ = 0;
  if (stays) return;
  if (plan_.until == Until::kIdle) return decide(ExitReason::kIdle, "", Manner::kPolitely);
  if (turns_ >= plan_.max_turns) {
    return decide(ExitReason::kTurns,
                  "the agent did not say " + plan_.keyword + " in " + std::to_string(turns_) +
                      (turns_ == 1 ? " turn" : " turns"),
                  Manner::kPolitely);
  }
  queue({.text = continue_message(plan_.keyword)});
  start_next(now);
}

void Machine::on_limit_end(TimeMs now, std::optional<int64_t> seconds) {
  if (state_ != State::kLimited) return;
  if (plan_.on_limit == OnLimit::kWait) {
    // A named moment is the provider's; its clock and ours may differ.
    constexpr int64_t kMarginS = 5;
    const int64_t wait_s = seconds ? *seconds + kMarginS : growing_delay_s(limits_);
    ++limits_;
    resume_at_ = now + wait_s * 1'000;
    return;
  }
  decide(ExitReason::kRetryLater, "the turn ended in an error: " + std::string(event::name(cause_)),
         Manner::kPolitely);
  verdict_->retry_after_s = seconds;
}

void Machine::resume(TimeMs now) {
  state_ = State::kResting;
  resume_at_.reset();
  if (queue_.empty()) queue({.text = std::string(kResumeMessage)});
  start_next(now);
}

// Silence alone is no proof that an agent is stuck: long builds say nothing either.
void Machine::consider_silence(TimeMs now, TimeMs last_output) {
  silent_at_ = kNever;
  const bool at_work = status_ == AgentStatus::kWorking || status_ == AgentStatus::kStarting;
  if (plan_.idle_timeout_ms == 0 || !at_work || looks_for_life_) return;
  silent_at_ = std::max({last_output, alive_at_, status_since_}) + plan_.idle_timeout_ms;
  if (now < silent_at_) return;
  silent_at_ = kNever;
  looks_for_life_ = true;
  actions_.push_back(
      FindLifeSigns{std::clamp(plan_.idle_timeout_ms, kShortestLookMs, kLongestLookMs)});
}

void Machine::on_life_signs(TimeMs now, bool alive, const std::string& evidence) {
  looks_for_life_ = false;
  alive_at_ = now;
  const bool at_work = status_ == AgentStatus::kWorking || status_ == AgentStatus::kStarting;
  if (alive || !at_work) return;
  decide(
      ExitReason::kStuck,
      "--idle-timeout " + std::to_string(plan_.idle_timeout_ms / 1'000) + "s passed: " + evidence,
      Manner::kTerminate);
}

void Machine::consider_dialog(TimeMs now, const DialogLook& look) {
  std::string bytes = desk_.step(now, look);
  if (!bytes.empty()) actions_.push_back(Write{std::move(bytes)});
  if (std::optional<event::Dialog> decided = desk_.take_event()) tell(*std::move(decided));
  dialog_waits_ = look.waiting && desk_.state() == DialogDesk::State::kUnanswered;
  if (!dialog_waits_ || now < dialog_deadline()) return;
  decide(cause_ == Cause::kLimit ? ExitReason::kRetryLater : ExitReason::kNeedsHuman,
         detect::describe(look.dialog), Manner::kTerminate);
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
  } else if (state_ == State::kTurn && current_.until_idle) {
    report(current_, DeliveryResult::kExited, "accepted, but the agent exited before it was idle");
  }
  delivery_.reset();
  for (const Outgoing& message : std::exchange(queue_, {})) {
    tell(event::Message{message.id, event::MessagePhase::kFailed, "the agent exited"});
    report(message, DeliveryResult::kExited, "the agent exited");
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

// When the run ends on a dialog that has no answer.
TimeMs Machine::dialog_deadline() const {
  if (plan_.ask_timeout_ms == kNever) return kNever;
  return std::max(status_since_ + kDialogStandsMs, desk_.since() + plan_.ask_timeout_ms);
}

TimeMs Machine::next_deadline() const {
  if (state_ == State::kStopping || state_ == State::kEnded) return kNever;
  TimeMs next = plan_.timeout_ms > 0 ? started_ + plan_.timeout_ms : kNever;
  if (delivery_) next = std::min(next, delivery_->next_deadline());
  for (const Outgoing& message : queue_) next = std::min(next, message.give_up_at);
  next = std::min({next, desk_.next_deadline(), silent_at_});
  if (state_ == State::kLimited && resume_at_) next = std::min(next, *resume_at_);
  if (dialog_waits_) next = std::min(next, dialog_deadline());
  if (reset_) next = std::min(next, reset_->next_deadline());
  if (state_ == State::kTurn && event::accepts_input(status_)) {
    next = std::min(next, accepted_at_ + unseen_turn_ms());
  }
  if (state_ == State::kTurn && current_.until_idle) next = std::min(next, current_.give_up_at);
  return next;
}

std::vector<Action> Machine::take_actions() { return std::exchange(actions_, {}); }

}  // namespace orch::run
