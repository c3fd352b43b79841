#include "detect/detector.h"

#include <algorithm>

#include "detect/typed_keys.h"

namespace orch::detect {

using event::AgentStatus;
using event::Cause;

namespace {

constexpr TimeMs kAfterKey = 40;    // how long after a key to look at its effect
constexpr int kLooks = 2;           // looks that must agree before any status but working counts
constexpr TimeMs kSecondLook = 10;  // between two looks, if nothing else asks for the second one
constexpr int kFrameLooks = 8;      // the most ends of frames to look at in max_settle_ms
constexpr int kDialogRows = 14;     // the last rows of the screen; dialogs are compared by them
// An agent awaits work in the background only if it reports work for at least this long. It reports
// the end of a turn at most a frame after it has drawn it.
constexpr TimeMs kAwaits = 1000;
constexpr TimeMs kRedraws = 1000;    // how long an agent may draw itself anew for another size
constexpr TimeMs kEchoes = 400;      // how long it may draw the effect of a typed key
constexpr TimeMs kReportHolds = 10;  // some agents report work for a moment as they start

// Whether the agent goes on with its turn, and so works, after a dialog of this kind is answered.
bool leads_to_work(Cause cause) {
  return cause == Cause::kPermission || cause == Cause::kQuestion || cause == Cause::kPlan;
}

}  // namespace

Detector::Detector(const RuleSet& rules, TimeMs now)
    : rules_(rules), evidence_(rules), since_(now) {}

void Detector::on_output(TimeMs now, const term::Screen& screen) {
  const DetectTiming& t = rules_.timing;
  // All output of one moment counts as one, no matter how it was cut into pieces.
  if (now != last_output_) after_quiet_ = now - last_output_ >= t.quiet_ms;
  last_output_ = now;
  stale_ = true;
  if (!first_output_) first_output_ = now;
  const TimeMs latest = std::max(*first_output_ + t.max_settle_ms, now);
  const bool frame_ended = screen.synchronized_frames() != sampled_frames_;
  const TimeMs next = now + 1;  // by then all output of this millisecond has arrived
  if (screen.modes().synchronized) {
    settle_at_ = latest;
  } else if (after_quiet_) {
    settle_at_ = next;
  } else if (frame_ended && may_look_at_frame(now)) {
    settle_at_ = std::min(next, latest);
  } else {
    settle_at_ = std::min(now + t.settle_ms, latest);
  }
  hear_report(now, screen);
}

void Detector::hear_report(TimeMs now, const term::Screen& screen) {
  if (rules_.report_app.empty()) return;
  // A tool may report later, but nothing else runs before the first message.
  if (rules_.report_app == kAnyApp && heard_ == 0 && !typed_) {
    const term::StateReport& first = screen.report_of("");
    if (first.number > 0) evidence_.trust_reports_of(first.app);
  }
  const term::StateReport& report = screen.report_of(evidence_.report_app());
  if (report.number == heard_) return;
  heard_ = report.number;
  std::string text = "report " + report.text;
  const NoticeRule* rule = rule_of(text);
  if (rule == nullptr) evidence_.doubt_report(heard_);  // as if the agent sent no reports
  if (rule != nullptr && rule->ignored) rule = nullptr;
  reported_at_rest_ = event::accepts_input(status_) && !submitted_;
  // Only an agent at work can fail. So an error that is reported at rest is not the agent's.
  const bool fails = rule != nullptr && rule->status == AgentStatus::kError;
  if (fails && reported_at_rest_ && status_ != AgentStatus::kError) return;
  report_.reset();
  if (rule != nullptr) report_ = Notice{rule, std::move(text), now};
  look_again_at(now + 1);
}

// Frames may end every millisecond. Then only kFrameLooks of them are looked at in each period of
// max_settle_ms, and the rest are treated as output that never settles.
bool Detector::may_look_at_frame(TimeMs now) {
  if (now - frame_looks_since_ >= rules_.timing.max_settle_ms) {
    frame_looks_since_ = now;
    frame_looks_ = 0;
  }
  return frame_looks_ < kFrameLooks;
}

void Detector::on_resize(TimeMs now) {
  stale_ = true;
  evidence_.pass_over_motion(now + kRedraws);
  look_again_at(now + rules_.timing.settle_ms);
}

// The specification that the notice matches; nullptr if there is none.
const NoticeRule* Detector::rule_of(std::string_view notice) const {
  const auto rule =
      std::find_if(rules_.notices.begin(), rules_.notices.end(),
                   [notice](const NoticeRule& r) { return r.pattern.matches(notice); });
  return rule == rules_.notices.end() ? nullptr : &*rule;
}

void Detector::on_notice(TimeMs now, std::string_view text) {
  if (text == kCallWaits || text == kCallGoesOn) {
    call_ = text == kCallWaits ? Call::kWaits : Call::kGoesOn;
    return look_again_at(now + 1);
  }
  if (text == kModelAsked || text == kModelAnswered) {
    asks_model_ = text == kModelAsked;
    return look_again_at(now + 1);
  }
  const NoticeRule* rule = rule_of(text);
  if (rule == nullptr || rule->ignored) return;
  // Late notices of an interrupted turn, such as the end of a tool, do not begin a new turn.
  if (interrupted_ && !event::accepts_input(rule->status)) return;
  notice_ = Notice{rule, std::string(text), now};
  look_again_at(now + 1);
}

void Detector::on_input(TimeMs now, std::string_view bytes) {
  const TypedKey key = read_typed(bytes);
  switch (key) {
    case TypedKey::kNothing:
      return;
    case TypedKey::kText:
      typed_since_enter_ = true;
      break;
    case TypedKey::kEnter:
      if (event::accepts_input(status_) && !box_text_.empty() && !is_command(box_text_)) {
        submitted_ = Submitted{now, box_text_, heard_};
      }
      interrupted_ = false;
      typed_since_enter_ = false;
      evidence_.note_enter();
      [[fallthrough]];
    case TypedKey::kChoice:
      // The key answers the dialog, or dismisses the error, that the notice was about.
      if (notice_ && (notice_->rule->status == AgentStatus::kWaiting ||
                      notice_->rule->status == AgentStatus::kError)) {
        notice_.reset();
      }
      if (status_ == AgentStatus::kWaiting && leads_to_work(cause_)) {
        answered_ = Answered{now, dialog_signature()};
      }
      break;
    case TypedKey::kEscape:
    case TypedKey::kInterrupt:
      submitted_.reset();
      answered_.reset();
      // It may not report the interruption either.
      if (rules_.guessed && report_ && !event::accepts_input(report_->rule->status))
        report_.reset();
      // The agent sends no notice of an interruption, so the last one no longer counts.
      notice_.reset();
      interrupted_ = true;
      break;
  }
  if (key == TypedKey::kText || key == TypedKey::kChoice) evidence_.pass_over_motion(now + kEchoes);
  typed_ = true;
  look_again_at(now + kAfterKey);
}

void Detector::look_again_at(TimeMs at) { again_at_ = std::min(again_at_, at); }

TimeMs Detector::next_deadline() const {
  return status_ == AgentStatus::kExited ? kNever : std::min(settle_at_, again_at_);
}

std::optional<event::StatusChange> Detector::on_timer(TimeMs now, const term::Screen& screen) {
  if (now < next_deadline()) return std::nullopt;
  if (screen.modes().synchronized && settle_at_ != kNever && now < settle_at_) {
    again_at_ = settle_at_;  // half a frame does not count as evidence
    return std::nullopt;
  }
  if (settle_at_ <= now) {
    first_output_.reset();
    settle_at_ = kNever;  // nothing new to see until more output comes
  }
  again_at_ = kNever;
  if (sampled_frames_ != screen.synchronized_frames()) ++frame_looks_;
  sampled_frames_ = screen.synchronized_frames();
  ++counters_.samples;
  if (now > evidence_.moves_until()) stale_ = true;  // the title has come to rest
  if (now >= motion_at_) stale_ = true;
  if (stale_ && evidence_.refresh(now, screen)) {
    raw_ = evidence_.evaluate();
    ++counters_.evaluations;
  } else {
    ++counters_.fast_exits;
  }
  stale_ = false;
  if (evidence_.moves_until() != kNever) look_again_at(evidence_.moves_until() + 1);
  motion_at_ = evidence_.motion_until(now);
  look_again_at(motion_at_);
  finding_ = raw_;
  // Text that nobody typed is a placeholder.
  if (rules_.guessed && !typed_since_enter_ && finding_.cause != Cause::kNone &&
      finding_.status == AgentStatus::kIdle) {
    finding_.cause = Cause::kNone;
  }
  if (finding_.typed) box_text_ = *finding_.typed;
  if (rules_.guessed) account_for_gone_dialog(finding_);
  note_awaited(now);
  if (report_) {
    account_for_report(now, finding_);
  } else {
    account_for_notice(now, finding_);
  }
  if (call_ != Call::kNone) account_for_call(finding_);
  if (call_waits()) return confirm(now, finding_);
  if (finding_.rule == nullptr && finding_.notice == nullptr &&
      finding_.status == AgentStatus::kStarting) {
    candidate_.reset();
    return std::nullopt;
  }
  account_for_keys(now, finding_);
  if (asks_model_) account_for_model(finding_);
  return confirm(now, finding_);
}

Layout Detector::layout_of(const term::Screen& screen) const {
  Rows rows = evidence_.rows();
  rows.refresh(screen, rules_.rows);
  return find_layout(rules_, rows);
}

std::string Detector::dialog_signature() const {
  const int used = layout().used;
  return joined(rows(), {std::max(0, used - kDialogRows), used});
}

void Detector::account_for_notice(TimeMs now, Finding& finding) {
  if (!notice_) return;
  const Arbitration verdict = arbitrate(finding, *notice_, rules_.timing, now, last_output_);
  look_again_at(verdict.until);
  if (!verdict.notice_decides) return;
  finding.rule = nullptr;
  finding.notice = notice_->rule;
  finding.status = notice_->rule->status;
  finding.cause = notice_->rule->cause;
  finding.row = -1;
}

// The agent draws work while orch lets it wait for the user. After that it works, until it draws
// something else.
void Detector::account_for_call(Finding& finding) {
  const bool waits = call_ == Call::kWaits;
  if (!waits) call_ = Call::kNone;
  if (!waits && (finding.rule != nullptr || finding.notice != nullptr)) return;
  finding.rule = nullptr;
  finding.notice = nullptr;
  finding.status = waits ? AgentStatus::kWaiting : AgentStatus::kWorking;
  finding.cause = waits ? Cause::kPermission : Cause::kTool;
  finding.row = -1;
}

void Detector::account_for_model(Finding& finding) const {
  if (finding.status != AgentStatus::kIdle) return;
  finding.rule = nullptr;
  finding.notice = nullptr;
  finding.status = AgentStatus::kWorking;
  finding.cause = Cause::kNone;
  finding.row = -1;
}

// The dialog is gone, and the rules for any agent know nothing yet of what comes after it.
void Detector::account_for_gone_dialog(Finding& finding) const {
  if (finding.rule != nullptr || status_ != AgentStatus::kWaiting) return;
  finding.status = AgentStatus::kWorking;
  finding.cause = Cause::kTool;
}

void Detector::note_awaited(TimeMs now) {
  const bool background = raw_.rule != nullptr && raw_.cause == Cause::kBackground;
  const bool works = report_ && report_->rule->status == AgentStatus::kWorking;
  if (!background) return;
  if (works && !awaits_since_) awaits_since_ = now;
  if (!works && awaits_since_ && now < *awaits_since_ + kAwaits) awaits_since_.reset();
}

// A report outranks the notices, which come later and say less.
void Detector::account_for_report(TimeMs now, Finding& finding) {
  const Beside beside{.moved = evidence_.moved(),
                      .starting = status_ == AgentStatus::kStarting,
                      .came_at_rest = reported_at_rest_,
                      .awaits_work = awaits_since_.has_value()};
  const Judgement judgement = judge_report(finding, *report_, rules_.timing, now, beside);
  look_again_at(judgement.until);
  switch (judgement.counts) {
    case Word::kScreen:
      return;
    case Word::kWrong:
      evidence_.doubt_report(heard_);
      report_.reset();
      stale_ = true;
      look_again_at(now + 1);
      return;
    case Word::kReport:
      break;
  }
  const bool notice_says_more = notice_ && notice_->rule->status == report_->rule->status &&
                                notice_->rule->cause != Cause::kNone;
  finding.rule = nullptr;
  finding.notice = report_->rule;
  finding.status = report_->rule->status;
  finding.cause = notice_says_more ? notice_->rule->cause : report_->rule->cause;
  finding.row = -1;
}

// After Enter or an answer the agent will work, even if it has not drawn that yet.
void Detector::account_for_keys(TimeMs now, Finding& finding) {
  const DetectTiming& t = rules_.timing;
  const auto working = [&finding](Cause cause) {
    finding.rule = nullptr;
    finding.notice = nullptr;
    finding.status = AgentStatus::kWorking;
    finding.cause = cause;
    finding.row = -1;
  };
  if (submitted_) {
    const TimeMs age = now - submitted_->at;
    const bool at_prompt = event::accepts_input(finding.status) && finding.typed.has_value();
    // It has worked since then, and rested again, between two looks.
    if (report_ && at_prompt && heard_ >= submitted_->reported + 2 &&
        event::accepts_input(report_->rule->status)) {
      submitted_.reset();
      return;
    }
    if (!at_prompt || age > t.submitted_ms) {
      if (!event::accepts_input(finding.status) || age > t.submitted_ms) submitted_.reset();
    } else if (finding.typed->empty()) {
      look_again_at(submitted_->at + t.submitted_ms + 1);
      working(Cause::kSubmitted);
    } else if (age < t.enter_seen_ms && *finding.typed == submitted_->text) {
      look_again_at(submitted_->at + t.enter_seen_ms);
      working(Cause::kSubmitted);
    }
  }
  if (answered_) {
    const TimeMs age = now - answered_->at;
    if (finding.status != AgentStatus::kWaiting || age > t.answered_max_ms ||
        dialog_signature() != answered_->screen) {
      answered_.reset();
    } else if (age < t.answered_ms) {
      look_again_at(answered_->at + t.answered_ms);
    } else {
      look_again_at(answered_->at + t.answered_max_ms + 1);
      working(Cause::kTool);
    }
  }
}

TimeMs Detector::needed(const Finding& finding) const {
  const bool starts = finding.status == AgentStatus::kWorking && !typed_;
  if (finding.rule != nullptr && finding.rule->confirm_ms && !starts) {
    return *finding.rule->confirm_ms;
  }
  switch (finding.status) {
    case AgentStatus::kWaiting:
      return rules_.timing.waiting_ms;
    case AgentStatus::kIdle:
      // The agent reports a little later how its turn ended, and it may have ended in an error. If
      // the rule is weak (the prompt is always drawn), the agent had its time to report.
      if (!report_ && notice_ && notice_->rule->status == AgentStatus::kWorking &&
          finding.rule != nullptr && !finding.rule->weak) {
        return std::max(rules_.timing.idle_ms, rules_.timing.notice_idle_ms);
      }
      [[fallthrough]];
    case AgentStatus::kError:
      return status_ == AgentStatus::kStarting ? rules_.timing.start_ms : rules_.timing.idle_ms;
    case AgentStatus::kWorking:
      if (!typed_) return rules_.timing.start_working_ms;
      return report_ && finding.notice == report_->rule ? kReportHolds : 0;
    case AgentStatus::kStarting:
    case AgentStatus::kExited:
      return 0;
  }
  return 0;
}

// Whether the finding supports the candidate, so that its time goes on. Idle and error support each
// other, because only the transcript differs between them.
bool Detector::continues(const Finding& finding) const {
  if (!candidate_) return false;
  if (candidate_->status == finding.status) return true;
  return finding.status != status_ && candidate_->status != status_ &&
         event::accepts_input(candidate_->status) && event::accepts_input(finding.status);
}

// One look is enough for working. Every other change needs kLooks consecutive looks that find the
// same status and cause. A new status must also have held for the time that needed() returns.
std::optional<event::StatusChange> Detector::confirm(TimeMs now, const Finding& finding) {
  const bool same_status = finding.status == status_;
  const bool loses_cause = status_ == AgentStatus::kWaiting && finding.cause == Cause::kNone;
  if (same_status && (finding.cause == cause_ || loses_cause)) {
    candidate_.reset();
    return std::nullopt;
  }
  if (!continues(finding)) candidate_ = Candidate{.since = now};
  const bool unchanged = candidate_->status == finding.status && candidate_->cause == finding.cause;
  if (!unchanged) candidate_->samples = 0;
  candidate_->status = finding.status;
  candidate_->cause = finding.cause;
  candidate_->needed_ms = same_status ? 0 : needed(finding);
  ++candidate_->samples;
  const int looks = finding.status == AgentStatus::kWorking ? 1 : kLooks;
  const TimeMs due = candidate_->since + candidate_->needed_ms;
  if (now < due || candidate_->samples < looks) {
    look_again_at(std::max(due, now + kSecondLook));
    return std::nullopt;
  }
  const Candidate done = *candidate_;
  candidate_.reset();
  return take(now, finding, done.samples, done.since);
}

event::StatusChange Detector::take(TimeMs now, const Finding& finding, int samples,
                                   TimeMs first_seen) {
  event::StatusChange change;
  change.status = finding.status;
  change.cause = finding.cause;
  change.from = status_;
  if (finding.rule != nullptr) change.rule = finding.rule->name;
  if (finding.notice != nullptr) change.rule = finding.notice->name;
  change.row = finding.row;
  change.samples = samples;
  change.lag_ms = now - first_seen;
  change.guessed = rules_.guessed;
  if (finding.status != status_) since_ = now;
  status_ = finding.status;
  cause_ = finding.cause;
  if (event::accepts_input(status_)) awaits_since_.reset();
  return change;
}

event::StatusChange Detector::on_exit() {
  event::StatusChange change;
  change.status = AgentStatus::kExited;
  change.from = status_;
  status_ = AgentStatus::kExited;
  cause_ = Cause::kNone;
  return change;
}

}  // namespace orch::detect
