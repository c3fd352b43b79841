// The part of the run machine that decides the agent's calls before they run (the call check), and
// ends the run where they may run unread.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "run/machine.h"

namespace orch::run {

using agent::CallDecision;
using event::Cause;
using event::ExitReason;
using Manner = StopAgent::Manner;

namespace {

// Agents report at their start, or with the first message, that their hooks are in force: some 0.2
// s before the first request to the model. On a busy machine that takes proportionally longer.
constexpr int64_t kCheckedMs = 20'000;
constexpr size_t kMostToldBytes = 4 << 10;  // of a call's description
// Some agents show their own dialog about a call that was allowed, within this time.
constexpr int64_t kOwnDialogMs = 30'000;
constexpr size_t kMostAllowed = 16;

// Whether the agent's dialog is about that call. The drawn command may be read in several ways.
bool is_about(const agent::DialogRequest& dialog, const agent::DialogRequest& call) {
  if (!dialog.complete || !call.complete || dialog.action != call.action) return false;
  if (dialog.kind != call.kind || dialog.is_set()) return false;
  if (call.action == agent::DialogRequest::Action::kCommand) {
    return !call.likely.empty() && std::find(dialog.likely.begin(), dialog.likely.end(),
                                             call.likely.front()) != dialog.likely.end();
  }
  return !call.paths.empty() && dialog.paths == call.paths;
}

}  // namespace

void Machine::expect_check(TimeMs now) {
  if (plan_.check_calls && !calls_checked_) check_needed_at_ = now + kCheckedMs;
}

void Machine::on_calls_checked() {
  calls_checked_ = true;
  check_needed_at_ = kNever;
}

void Machine::on_call(TimeMs now, agent::ToolCall call) {
  call.since = now;
  calls_checked_ = true;  // a reported call proves that the hooks are in force
  check_needed_at_ = kNever;
  const Cause kind = call.request.kind;
  if (kind == Cause::kQuestion || kind == Cause::kPlan) {
    return decide_call(call, {CallDecision::Answer::kAgentAsks, ""});
  }
  if (state_ == State::kStopping || state_ == State::kEnded) {
    return decide_call(call, {CallDecision::Answer::kDeny, "the run is ending"});
  }
  if (is_used_up()) {
    constexpr const char* kWhy = "the run's budget is used up";
    tell_call(now, call, "deny", kWhy);
    decide_call(call, {CallDecision::Answer::kDeny, kWhy});
    return end_used_up();
  }
  const policy::Decision decision =
      policy_->decide_call({plan_.agent, call.request, plan_.work_dir, plan_.held});
  if (decision.answer != policy::Answer::kNone) {
    const bool allowed = decision.answer == policy::Answer::kAllow;
    tell_call(now, call, allowed ? "allow" : "deny", decision.rule);
    return decide_call(call, {allowed ? CallDecision::Answer::kAllow : CallDecision::Answer::kDeny,
                              decision.rule});
  }
  ++call_counts_.asked;
  tell_call(now, call, "asked", decision.rule);
  calls_.push_back(std::move(call));
  ask_about_call(now);
}

void Machine::decide_call(const agent::ToolCall& call, CallDecision decision) {
  if (decision.answer != CallDecision::Answer::kAgentAsks) ++call_counts_.decided;
  if (decision.answer == CallDecision::Answer::kDeny) ++call_counts_.denied;
  actions_.emplace_back(DecideCall{call.id, std::move(decision)});
}

namespace {

// The call's description; for a command that would run elsewhere, with the way there.
const std::string& told_of(const agent::DialogRequest& request) {
  return request.likely.size() > 1 ? request.likely.back() : request.body;
}

}  // namespace

void Machine::tell_call(TimeMs now, const agent::ToolCall& call, std::string decided,
                        std::string by) {
  event::Tool told{.id = call.id,
                   .name = call.request.tool,
                   .input = std::string(base::beginning(told_of(call.request), kMostToldBytes)),
                   .text = "",
                   .phase = event::ToolPhase::kDecided};
  told.decided = std::move(decided);
  told.by = std::move(by);
  told.decided_ms = now - call.since;
  tell(std::move(told));
}

// Asks the user about the call that has waited longest, as about a dialog of the agent's.
void Machine::ask_about_call(TimeMs now) {
  if (dialog_ || calls_.empty() || state_ == State::kStopping || state_ == State::kEnded) return;
  const agent::ToolCall& call = calls_.front();
  dialog_ = OpenDialog{.id = "d" + std::to_string(++dialogs_),
                       .request = call.request,
                       .since = now,
                       .waits = true,
                       .call = call.id};
  tell_dialog(call.request, "", "");
  actions_.emplace_back(ShowCall{true});
}

// The user has answered; no key is typed.
void Machine::answer_call(TimeMs now, const ChosenOptions& chosen) {
  const agent::ToolCall call = std::move(calls_.front());
  calls_.pop_front();
  const agent::DialogOption& option = call.request.options[chosen.options.front()];
  const bool allowed = option.meaning == agent::Meaning::kAllowOnce;
  tell_dialog(call.request, option.text, "user");
  tell_call(now, call, allowed ? "allow" : "deny", "user");
  decide_call(call, {allowed ? CallDecision::Answer::kAllow : CallDecision::Answer::kDeny, "user"});
  if (allowed) {
    if (allowed_by_user_.size() == kMostAllowed) allowed_by_user_.pop_front();
    allowed_by_user_.push_back({call.request, now});
  }
  dialog_.reset();
  actions_.emplace_back(ShowCall{false});
  actions_.emplace_back(TellAnswered{base::Ok{}});
  ask_about_call(now);
}

// A user who has allowed a call is not asked about it again by the agent's own dialog.
bool Machine::takes_allowed_call(TimeMs now, const agent::DialogRequest& dialog) {
  const auto found = std::find_if(
      allowed_by_user_.begin(), allowed_by_user_.end(), [&dialog, now](const AllowedCall& allowed) {
        return now - allowed.at <= kOwnDialogMs && is_about(dialog, allowed.request);
      });
  if (found == allowed_by_user_.end()) return false;
  allowed_by_user_.erase(found);
  return true;
}

// If a user is there or has interrupted the agent, it has taken the call back. Otherwise its hook
// was killed or has run out of time, and the call may be running by now.
void Machine::on_call_gone(TimeMs now, const std::string& id) {
  const auto gone = std::find_if(calls_.begin(), calls_.end(),
                                 [&id](const agent::ToolCall& call) { return call.id == id; });
  if (gone == calls_.end()) return;
  const std::string tool = gone->request.tool;
  calls_.erase(gone);
  if (asks_about_call() && dialog_->call == id) {
    dialog_.reset();
    actions_.emplace_back(ShowCall{false});
  }
  if (!attended_ && !held_) {
    on_call_unread("the hook that reported a call of " + tool + " has gone before it was decided");
  }
  ask_about_call(now);
}

void Machine::on_call_unread(const std::string& why) {
  if (plan_.calls_unread == CallsUnread::kDialogs) return;
  decide(ExitReason::kCallsUnread, why, Manner::kNow);
}

// Once the agent has accepted a message it asks its model, whose answer may call a tool.
void Machine::consider_calls(TimeMs now) {
  if (now < check_needed_at_) return;
  check_needed_at_ = kNever;
  on_call_unread("the agent has not run orch's hook: something switches its hooks off");
}

}  // namespace orch::run
