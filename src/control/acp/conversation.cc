#include "acp/conversation.h"

#include <algorithm>
#include <utility>

#include "agent/delivery_result.h"
#include "base/text.h"

namespace orch::acp {
namespace {

using base::Json;
using base::TimeMs;
using event::AgentStatus;

constexpr int64_t kLookMs = 100;      // between two looks at an agent that is not ready
constexpr int64_t kEscapeMs = 1'000;  // until the next Escape, if the turn goes on
constexpr int kMostEscapes = 5;
constexpr int64_t kStopMs = 12'000;  // then the client gets its answer all the same
constexpr int kMostRefusals = 20;
constexpr size_t kMostTitleBytes = 80;  // of the first prompt

bool is_over(const wire::Sent& sent, agent::DeliveryResult result) {
  return sent.result == agent::name(result);
}

}  // namespace

Conversation::Conversation(Plan plan) : plan_(std::move(plan)) { narrator_.set_shows(plan_.shows); }

void Conversation::update(Json update) {
  Json params{{"sessionId", plan_.id}};
  params["update"] = std::move(update);
  work_.emplace_back(Tell{jsonrpc::notification_line(plan_.protocol->update, std::move(params))});
}

void Conversation::update(std::vector<Json> updates) {
  for (Json& one : updates) update(std::move(one));
}

void Conversation::ask() { work_.emplace_back(AskStatus{}); }

void Conversation::on_prompt(const Json& request, std::string text, TimeMs now) {
  if (request_) {
    work_.emplace_back(Tell{jsonrpc::error_line(request, jsonrpc::ErrorCode::kInvalidRequest,
                                                "a turn of this session is under way")});
    return;
  }
  request_ = request;
  text_ = std::move(text);
  phase_ = Phase::kWaiting;
  wish_ = Wish::kGoOn;
  accepted_ = false;
  escapes_ = refusals_ = 0;
  since_ = now;
  deadline_ = plan_.turn_limit_ms > 0 ? now + plan_.turn_limit_ms : base::kNever;
  sent_.reset();
  before_ = usage_;
  update(narrator_.end_turn());  // words of the last turn may have settled after its end
  if (++turns_ == 1) {
    const std::string_view first = std::string_view(text_).substr(0, text_.find('\n'));
    update(Json{{"sessionUpdate", "session_info_update"},
                {"title", base::printable(base::beginning(first, kMostTitleBytes))}});
  }
  if (ended_) return fail({"crash", "the session has ended", std::nullopt});
  ask();
}

void Conversation::on_cancel(TimeMs now) {
  if (request_) stop(Wish::kCancel, now);
}

void Conversation::on_cancel_request(const Json& request, TimeMs now) {
  if (request_ && *request_ == request) stop(Wish::kCancel, now);
}

// A dialog is denied first, and then the turn is ended by Escape; see on_answered().
void Conversation::stop(Wish wish, TimeMs now) {
  if (wish_ != Wish::kGoOn) return;
  wish_ = wish;
  stop_since_ = now;
  if (question_ && question_->meaning.empty()) {
    answer({{agent::DialogChoice::Kind::kNo, 0, ""}, "deny"});
    return look_again(now + kEscapeMs);
  }
  if (phase_ == Phase::kWaiting) return finish();
  if (accepted_) return press_escape(now);
  look_again(now + kEscapeMs);  // once the agent has the message
}

void Conversation::press_escape(TimeMs now) {
  const bool goes_on = status_ == AgentStatus::kWorking || status_ == AgentStatus::kWaiting;
  if (goes_on && escapes_ < kMostEscapes) {
    ++escapes_;
    work_.emplace_back(PressEscape{});
  }
  look_again(now + kEscapeMs);
}

void Conversation::send() {
  phase_ = Phase::kSending;
  work_.emplace_back(Send{text_, turns_});
}

bool Conversation::on_response(const jsonrpc::Response& response, TimeMs now) {
  if (!question_ || question_->request.is_null() || question_->request != response.id) return false;
  const Answered answered = answer_of(question_->dialog, response);
  question_->request = nullptr;
  if (question_->meaning.empty()) answer(answered);
  look_again(now + kEscapeMs);
  return true;
}

void Conversation::answer(const Answered& answered) {
  question_->meaning = answered.meaning;
  work_.emplace_back(Answer{question_->dialog.id, answered.choice});
}

void Conversation::on_answered(const std::string& dialog, const base::Status& done, TimeMs now) {
  if (!question_ || question_->dialog.id != dialog) return;
  const std::string meaning = question_->meaning;
  take_back_question();
  question_.reset();
  if (done) {
    settled_ = dialog;
    update(narrator_.on_answered(meaning));
  }
  if (wish_ != Wish::kGoOn) {
    if (phase_ == Phase::kWaiting) return finish();
    // A dialog without an answer that denies is left by Escape, as the turn is.
    if (!done) status_ = AgentStatus::kWaiting;
    return press_escape(now);
  }
  // A dialog that has no answer that denies is left by Escape.
  if (!done && meaning == "deny" && done.error().code != base::ErrorCode::kNotFound) {
    work_.emplace_back(PressEscape{});
  }
  ask();
}

// Somebody else was first: orch answer, a policy, a key in the terminal.
void Conversation::on_answered_elsewhere(const std::string& answer) {
  for (const wire::DialogReport::Option& option : question_->dialog.options) {
    if (option.text != answer) continue;
    update(narrator_.on_answered(option.meaning));
    break;
  }
  take_back_question();
  settled_ = question_->dialog.id;
  question_.reset();
}

// The dialog was answered here, or elsewhere: the client need not ask any longer.
void Conversation::take_back_question() {
  if (!question_ || question_->request.is_null()) return;
  work_.emplace_back(Tell{jsonrpc::notification_line(plan_.protocol->cancel_request,
                                                     Json{{"requestId", question_->request}})});
  question_->request = nullptr;
}

void Conversation::ask_client(const wire::DialogReport& dialog) {
  std::vector<Json> updates;
  const std::string call = narrator_.call_of(dialog, updates);
  update(std::move(updates));
  question_ = Question{dialog, "orch-" + plan_.id + "-" + std::to_string(++requests_), ""};
  const bool as_question = is_question(dialog) && plan_.shows.questions;
  Json params = as_question ? question_request(dialog) : permission_request(dialog, call);
  params["sessionId"] = plan_.id;
  work_.emplace_back(Tell{jsonrpc::request_line(
      question_->request,
      as_question ? plan_.protocol->ask_question : plan_.protocol->ask_permission,
      std::move(params))});
}

void Conversation::on_event(const event::Event& event, TimeMs now) {
  if (const auto* change = std::get_if<event::StatusChange>(&event)) {
    const bool was_waiting = status_ == AgentStatus::kWaiting;
    status_ = change->status;
    cause_ = change->cause;
    if (was_waiting || status_ == AgentStatus::kWaiting || phase_ == Phase::kWaiting) {
      if (request_) ask();
    }
  } else if (const auto* dialog = std::get_if<event::Dialog>(&event)) {
    update(narrator_.tell(event));
    if (question_ && question_->meaning.empty() && !dialog->answer.empty()) {
      on_answered_elsewhere(dialog->answer);
    }
    if (request_) ask();
    return;
  } else if (const auto* message = std::get_if<event::Message>(&event)) {
    if (phase_ == Phase::kSending && message->phase == event::MessagePhase::kAccepted) {
      accepted_ = true;
      if (wish_ != Wish::kGoOn) press_escape(now);
    }
  }
  update(narrator_.tell(event));
}

void Conversation::on_report(const base::Result<wire::StatusReport>& report, TimeMs now) {
  if (!report) {
    // The end of the session comes by itself; a host that is only slow is asked again.
    if (request_ && !ended_) look_again(now + kLookMs);
    return;
  }
  at_report(*report, now);
}

void Conversation::at_report(const wire::StatusReport& report, TimeMs now) {
  status_ = report.status;
  cause_ = report.cause;
  retry_after_s_.reset();
  if (report.retry_after_ms) retry_after_s_ = (*report.retry_after_ms + 999) / 1000;
  if (report.usage) {
    has_usage_ = true;
    usage_ = *report.usage;
  }
  if (!request_) return;
  if (phase_ == Phase::kEnding) return finish();
  // A dialog about the provider's limit ends the turn; the next prompt asks the client about it.
  const bool at_limit = report.status == AgentStatus::kWaiting && cause_ == event::Cause::kLimit;
  if (at_limit && phase_ == Phase::kSending && wish_ == Wish::kGoOn) return fail_by(cause_);
  // A dialog that the agent has left may be reported for a while.
  const wire::DialogReport* dialog =
      report.dialog && report.status == AgentStatus::kWaiting ? &*report.dialog : nullptr;
  if (question_ && (dialog == nullptr || dialog->id != question_->dialog.id)) {
    if (question_->meaning.empty()) {
      take_back_question();
      question_.reset();
    }
  }
  if (dialog != nullptr && !question_ && dialog->id != settled_) {
    if (wish_ == Wish::kGoOn) return ask_client(*dialog);
    question_ = Question{*dialog, nullptr, ""};
    return answer({{agent::DialogChoice::Kind::kNo, 0, ""}, "deny"});
  }
  if (phase_ != Phase::kWaiting) return;
  if (report.status == AgentStatus::kWaiting && report.cause == event::Cause::kLogin) {
    return fail(failure_of(report.cause));
  }
  if (event::accepts_input(event::at_prompt(report.status, report.cause)) && report.pending == 0) {
    return send();
  }
  look_again(now + kLookMs);
}

void Conversation::on_sent(uint64_t turn, const base::Result<wire::Sent>& sent, TimeMs now) {
  if (!request_ || turn != turns_ || phase_ != Phase::kSending) return;
  if (!sent) {
    if (sent.error().code == base::ErrorCode::kNotFound) return;  // on_end() has the reason
    return fail({"crash", sent.error().text, std::nullopt});
  }
  using Result = agent::DeliveryResult;
  if (is_over(*sent, Result::kBlocked) && wish_ == Wish::kGoOn && ++refusals_ < kMostRefusals &&
      sent->cause != event::Cause::kDraft) {
    phase_ = Phase::kWaiting;  // by a dialog, which the client has to answer first
    return look_again(now + kLookMs);
  }
  if (is_over(*sent, Result::kExited)) return;  // on_end() has the reason
  sent_ = *sent;
  phase_ = Phase::kEnding;
  ask();
}

void Conversation::on_end(const Failure& failure) {
  ended_ = true;
  if (!request_) return;
  if (wish_ == Wish::kCancel) return finish();
  fail(failure);
}

void Conversation::on_timer(TimeMs now) {
  deadline_ = base::kNever;
  if (!request_) return;
  if (plan_.turn_limit_ms > 0 && wish_ == Wish::kGoOn) {
    if (now >= since_ + plan_.turn_limit_ms) return stop(Wish::kTimeLimit, now);
    look_again(since_ + plan_.turn_limit_ms);
  }
  if (wish_ != Wish::kGoOn) {
    if (now >= stop_since_ + kStopMs) return finish();
    if (accepted_ && !question_) press_escape(now);
    look_again(now + kEscapeMs);
  }
  ask();
}

Json Conversation::usage_json() const {
  const int64_t in = usage_.in - before_.in, out = usage_.out - before_.out;
  const int64_t cached = usage_.cached - before_.cached;
  Json usage{{"inputTokens", std::max<int64_t>(in, 0)},
             {"outputTokens", std::max<int64_t>(out, 0)}};
  usage["totalTokens"] = std::max<int64_t>(in + out, 0);
  usage["cachedReadTokens"] = std::max<int64_t>(cached, 0);
  return usage;
}

void Conversation::end_turn() {
  take_back_question();
  question_.reset();
  update(narrator_.end_turn());
  if (has_usage_) update(narrator_.tell_usage(usage_));
  deadline_ = base::kNever;
}

void Conversation::finish() {
  if (wish_ == Wish::kTimeLimit) {
    return fail({"timeout", "the turn took longer than --timeout", std::nullopt});
  }
  using Result = agent::DeliveryResult;
  if (wish_ == Wish::kGoOn && sent_) {
    const bool failed = sent_->status == AgentStatus::kError || status_ == AgentStatus::kError;
    if (failed) {
      return fail_by(sent_->cause == event::Cause::kNone ? cause_ : sent_->cause);
    }
    if (is_over(*sent_, Result::kWouldBeCommand)) {
      return refuse("the agent would take this for a command of its own: " + sent_->reason);
    }
    if (is_over(*sent_, Result::kBlocked)) return refuse("not sent: " + sent_->reason);
    if (!is_over(*sent_, Result::kAccepted)) {
      return fail({"timeout", sent_->result + ": " + sent_->reason, std::nullopt});
    }
  }
  end_turn();
  Json result{{"stopReason", wish_ == Wish::kCancel ? "cancelled" : "end_turn"}};
  if (has_usage_) result["usage"] = usage_json();
  work_.emplace_back(Tell{jsonrpc::result_line(*request_, std::move(result))});
  request_.reset();
}

void Conversation::refuse(std::string_view why) {
  end_turn();
  work_.emplace_back(Tell{jsonrpc::error_line(*request_, jsonrpc::ErrorCode::kInvalidParams, why)});
  request_.reset();
}

void Conversation::fail_by(event::Cause cause) {
  Failure failure = failure_of(cause);
  failure.retry_after_s = retry_after_s_;
  fail(failure);
}

void Conversation::fail(const Failure& failure) {
  end_turn();
  Json data = data_of(failure, plan_.run);
  if (has_usage_) data["usage"] = usage_json();
  work_.emplace_back(Warn{phrase_of(failure)});
  work_.emplace_back(
      Tell{jsonrpc::error_line(*request_, static_cast<jsonrpc::ErrorCode>(code_of(failure)),
                               failure.text, std::move(data))});
  request_.reset();
}

void Conversation::on_history(const event::Event& event) {
  narrator_.set_view(Narrator::View::kHistory);
  update(narrator_.tell(event));
}

void Conversation::end_history() {
  update(narrator_.end_turn());
  narrator_.set_view(Narrator::View::kLive);
}

}  // namespace orch::acp
