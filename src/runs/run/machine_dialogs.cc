// The part of the run machine that has dialogs decided by the policy or by a user's answer, and
// ends the run if neither decides.
#include <algorithm>
#include <utility>

#include "policy/dialog_answer.h"
#include "run/machine.h"

namespace orch::run {

using base::Error;
using base::ErrorCode;
using base::usage_error;
using event::AgentStatus;
using event::Cause;
using event::ExitReason;
using Manner = StopAgent::Manner;

namespace {

// A dialog must have been open for this long before it ends the run: some are open only for a
// moment.
constexpr int64_t kDialogStandsMs = 1'000;
// The "by" of the event when --on-limit wait answers the dialog of a limit.
constexpr std::string_view kByOnLimit = "on-limit:wait";

// The names of the options as events have them: "Red, Blue"; of tick boxes that are all cleared
// "none".
std::string names_of(const agent::DialogRequest& request, const std::vector<size_t>& options) {
  std::string names;
  for (const size_t option : options) {
    names.append(names.empty() ? "" : ", ").append(request.options[option].text);
  }
  return options.empty() ? "none" : names;
}

}  // namespace

void Machine::on(TimeMs now, const agent::DialogOpened& opened) {
  if (asks_about_call()) {  // it is asked again after this dialog
    dialog_.reset();
    actions_.emplace_back(ShowCall{false});
  }
  if (dialog_) close_dialog(now, "another dialog came before the answer was typed");
  conclude_words("another dialog came before its words could be typed");
  const agent::DialogRequest& request = opened.request;
  dialog_ = OpenDialog{
      .id = "d" + std::to_string(++dialogs_), .request = request, .since = now, .waits = false};
  if (state_ == State::kStopping) return;
  if (!opened.trouble.empty()) {
    tell_dialog(request, "", "");
    return leave_dialog(now);
  }
  policy::Decision decision = decision_on(request);
  if (decision.answer == policy::Answer::kNone && takes_allowed_call(now, request)) {
    decision = {policy::Answer::kAllow, "user"};
  }
  const std::optional<std::vector<size_t>> options = policy::options_for(request, decision.answer);
  tell_dialog(request, options ? names_of(request, *options) : "", decision.rule);
  if (!options) {
    command(agent::Answer{});
    return leave_dialog(now);
  }
  if (decision.rule == kByOnLimit) actions_.emplace_back(FindLimitEnd{});
  command(agent::Answer{options});
}

// With --on-limit wait the dialog of a limit is answered with "wait", whatever the policy says:
// waiting costs nothing and allows nothing.
policy::Decision Machine::decision_on(const agent::DialogRequest& request) const {
  if (request.kind == Cause::kLimit && request.complete && plan_.on_limit == OnLimit::kWait) {
    return {policy::Answer::kDeny, std::string(kByOnLimit)};
  }
  const policy::DialogFacts facts{plan_.agent, request, plan_.work_dir, plan_.held};
  return plan_.check_calls ? policy_->decide_call(facts) : policy_->decide(facts);
}

// The agent denied the tool by itself, and nobody can change that. The run ends, because work
// without the tool is not what the user asked for.
void Machine::on(TimeMs /*now*/, const agent::Denied& denied) {
  tell_dialog(denied.request, "No", "agent");
  decide(ExitReason::kNeedsHuman, agent::describe(denied.request), Manner::kTerminate);
}

void Machine::on(TimeMs /*now*/, const agent::DialogTyped& /*typed*/) {
  if (!dialog_ || !answer_) return;
  answer_->typed = true;
  tell_dialog(dialog_->request, names_of(dialog_->request, answer_->chosen.options), "user");
}

void Machine::on(TimeMs now, const agent::DialogLeft& left) {
  if (!dialog_) return;
  if (answer_) fail_answer(now, left.reason);
  tell_dialog(dialog_->request, "", "");  // the dialog is left to the user now
  leave_dialog(now);
}

void Machine::on(TimeMs now, const agent::DialogClosed& /*closed*/) {
  if (asks_about_call()) return;
  close_dialog(now, "the dialog went before the answer was typed");
  ask_about_call(now);
}

// The dialog is gone. If a user's answer has words for the agent, they are sent now: the answer has
// led the agent to its prompt.
void Machine::close_dialog(TimeMs now, const std::string& untyped) {
  dialog_.reset();
  if (answer_ && answer_->typed && words_follow()) {
    held_ = false;
    const TimeMs give_up_at = answer_->give_up_at;
    words_ = AnswerWords{queue(now, {.text = answer_->chosen.words, .sender = Sender::kOther}),
                         give_up_at};
    answer_.reset();
    std::rotate(queue_.begin(), queue_.end() - 1, queue_.end());  // before the messages that wait
    if (state_ == State::kResting && !step_waits_) start_next();
  } else {
    conclude_answer(untyped);
  }
  take_waiting_step(now);
}

// Takes the step that waited for the dialog to go: the agent may rest before that is seen.
void Machine::take_waiting_step(TimeMs now) {
  const bool waits = std::exchange(step_waits_, false);
  if (waits && state_ == State::kResting) take_next_step(now);
}

std::optional<WaitingDialog> Machine::waiting_dialog() const {
  if (!dialog_ || !dialog_->waits || state_ == State::kStopping || state_ == State::kEnded) {
    return std::nullopt;
  }
  return WaitingDialog{dialog_->id, dialog_->request};
}

base::Status Machine::answer(const AnswerRequest& request, TimeMs now) {
  if (state_ == State::kStopping || state_ == State::kEnded) {
    return usage_error("the session is ending");
  }
  if (!dialog_) return Error{ErrorCode::kNotFound, "no dialog is open"};
  if (!request.dialog.empty() && request.dialog != dialog_->id) {
    return usage_error("the dialog that was meant is gone; another one is open: " +
                       dialog_->request.title);
  }
  if (answer_) return usage_error("another answer to this dialog is being typed");
  if (words_) return usage_error("the words of another answer are being typed");
  if (!dialog_->waits) return usage_error("a policy is answering this dialog");
  if (state_ == State::kResetting) return usage_error("the session is being reset");
  std::vector<agent::DialogChoice> choices{request.choice};
  choices.insert(choices.end(), request.also.begin(), request.also.end());
  base::Result<ChosenOptions> chosen = options_chosen(dialog_->request, choices);
  if (!chosen) return chosen.error();
  if (asks_about_call()) {
    answer_call(now, *chosen);
    return base::Ok{};
  }
  answer_ = OpenAnswer{
      .chosen = std::move(chosen).value(), .give_up_at = now + kLongestAnswerMs, .typed = false};
  dialog_->waits = false;
  command(agent::Answer{answer_->chosen.options});
  return base::Ok{};
}

void Machine::consider_answer(TimeMs now) {
  if (now < answer_deadline()) return;
  if (words_) return conclude_words("its words wait still for the agent's prompt");
  command(agent::Answer{});
  fail_answer(now, answer_->typed ? "the dialog still stands after its answer was typed"
                                  : "the answer could not be typed in time");
  if (dialog_) leave_dialog(now);
}

// The dialog is gone or cannot be answered any more. If the answer was typed, it counts as the one
// that closed the dialog.
void Machine::conclude_answer(const std::string& untyped) {
  if (!answer_) return;
  if (answer_->typed) return end_answer(base::Ok{});
  end_answer(usage_error(untyped));
}

// The dialog is gone, but the agent did not get the words of the answer.
void Machine::conclude_words(const std::string& why_not) {
  if (words_) end_answer(Error{ErrorCode::kSystem, "the dialog was answered, but " + why_not});
}

TimeMs Machine::answer_deadline() const {
  if (words_) return words_->give_up_at;
  return answer_ ? answer_->give_up_at : kNever;
}

// The answer has failed: the dialog is still open.
void Machine::fail_answer(TimeMs now, const std::string& why) {
  end_answer(Error{answer_->typed ? ErrorCode::kSystem : ErrorCode::kUsage, why});
  take_waiting_step(now);
}

void Machine::end_answer(base::Status outcome) {
  answer_.reset();
  words_.reset();
  actions_.emplace_back(TellAnswered{std::move(outcome)});
}

void Machine::tell_dialog(const agent::DialogRequest& request, std::string answer, std::string by) {
  tell(agent::record_of(request, std::move(answer), std::move(by)));
}

void Machine::leave_dialog(TimeMs now) {
  dialog_->since = now;
  dialog_->waits = true;
}

// Whether the agent asks how to go on at a limit, and nobody has answered.
bool Machine::limit_asks() const {
  return dialog_ && dialog_->waits && dialog_->request.kind == Cause::kLimit;
}

// Whether the dialog of a limit ends the run without waiting for a user: only an answer that costs
// money would let the agent go on at once. In a session that stays (--until exit), the sender of
// the message may still answer.
bool Machine::ends_at_limit() const {
  const bool stays = plan_.until == Until::kExit && current_.sender == Sender::kOther;
  return limit_asks() && !stays;
}

// Whether the open dialog is known to be there still. orch's own question about a call always is.
bool Machine::dialog_stands() const {
  return asks_about_call() || status_ == AgentStatus::kWaiting;
}

bool Machine::waits_for_person() const {
  if (waits_for_word()) return true;
  if (state_ == State::kStopping || state_ == State::kEnded) return false;
  if (!dialog_ || !dialog_->waits || !dialog_stands()) return false;
  return attended_ || (plan_.ask_timeout_ms != 0 && !ends_at_limit());
}

// When a dialog without an answer ends the run; never while a user is attached.
TimeMs Machine::dialog_deadline() const {
  const bool waits = dialog_ && dialog_->waits && dialog_stands() && !attended_;
  if (!waits) return kNever;
  if (ends_at_limit()) {
    // The end of the limit is being looked for.
    const bool is_looked_for = state_ == State::kLimited && !resumption_;
    return is_looked_for ? kNever : status_since_ + kDialogStandsMs;
  }
  if (plan_.ask_timeout_ms == kNever) return kNever;
  return std::max(status_since_ + kDialogStandsMs, dialog_->since + plan_.ask_timeout_ms);
}

void Machine::consider_dialog(TimeMs now) {
  if (now < dialog_deadline()) return;
  if (limit_asks()) return find_limit_end();
  decide(ExitReason::kNeedsHuman, agent::describe(dialog_->request), Manner::kTerminate);
  if (verdict_ && verdict_->reason == ExitReason::kNeedsHuman) {
    verdict_->answers = agent::answers_to(dialog_->request);
  }
}

}  // namespace orch::run
