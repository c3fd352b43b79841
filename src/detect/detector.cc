#include "detect/detector.h"

#include <algorithm>

#include "detect/typed_keys.h"

namespace orch::detect {

using event::AgentStatus;
using event::Cause;
using Kind = ConditionSpec::Kind;

namespace {

constexpr TimeMs kAfterKey = 40;  // a key's effect is looked at this much later
constexpr int kDialogRows = 14;   // rows at the end that tell one dialog from another
constexpr std::string_view kCommandStart = "/!#@";  // a first character that submits no message

std::string progress_text(const term::Progress& progress) {
  using State = term::Progress::State;
  const auto with = [&progress](std::string word) {
    return word.append(" ").append(std::to_string(progress.percent));
  };
  switch (progress.state) {
    case State::kNone:
      return {};
    case State::kNormal:
      return with("normal");
    case State::kError:
      return with("error");
    case State::kIndeterminate:
      return "indeterminate";
    case State::kPaused:
      return with("paused");
  }
  return {};
}

// Kinds of dialogs whose answer the agent acts upon, so that it works once the dialog is gone.
bool leads_to_work(Cause cause) {
  return cause == Cause::kPermission || cause == Cause::kQuestion || cause == Cause::kPlan;
}

bool is_command(std::string_view text) {
  return !text.empty() && kCommandStart.find(text.front()) != std::string_view::npos;
}

bool starts_command(const std::optional<std::string>& text) { return text && is_command(*text); }

}  // namespace

Detector::Detector(const RuleSet& rules, TimeMs now) : rules_(rules), since_(now) {}

void Detector::on_output(TimeMs now, const term::Screen& screen) {
  const DetectTiming& t = rules_.timing;
  // What arrives at one moment counts as one output, however it was cut.
  if (now != last_output_) after_quiet_ = now - last_output_ >= t.quiet_ms;
  last_output_ = now;
  stale_ = true;
  if (!first_output_) first_output_ = now;
  const TimeMs latest = std::max(*first_output_ + t.max_settle_ms, now);
  const bool frame_ended = screen.synchronized_frames() != sampled_frames_;
  if (screen.modes().synchronized) {
    settle_at_ = latest;
  } else if (after_quiet_ || frame_ended) {
    settle_at_ = now + 1;  // a whole millisecond, so that all of this moment is seen together
  } else {
    settle_at_ = std::min(now + t.settle_ms, latest);
  }
}

void Detector::on_resize(TimeMs now) {
  stale_ = true;
  look_again_at(now + rules_.timing.settle_ms);
}

void Detector::on_input(TimeMs now, std::string_view bytes) {
  const TypedKey key = read_typed(bytes);
  switch (key) {
    case TypedKey::kNothing:
      return;
    case TypedKey::kText:
      break;
    case TypedKey::kEnter:
      if (event::accepts_input(status_) && !box_text_.empty() && !is_command(box_text_)) {
        submitted_ = Submitted{now, box_text_};
      }
      [[fallthrough]];
    case TypedKey::kChoice:
      if (status_ == AgentStatus::kWaiting && leads_to_work(cause_)) {
        answered_ = Answered{now, dialog_signature()};
      }
      break;
    case TypedKey::kEscape:
    case TypedKey::kInterrupt:
      submitted_.reset();
      answered_.reset();
      break;
  }
  look_again_at(now + kAfterKey);
}

void Detector::look_again_at(TimeMs at) { again_at_ = std::min(again_at_, at); }

TimeMs Detector::next_deadline() const {
  return status_ == AgentStatus::kExited ? kNever : std::min(settle_at_, again_at_);
}

std::optional<event::StatusChange> Detector::on_timer(TimeMs now, const term::Screen& screen) {
  if (now < next_deadline()) return std::nullopt;
  if (screen.modes().synchronized && settle_at_ != kNever && now < settle_at_) {
    again_at_ = settle_at_;  // half of a frame is no evidence
    return std::nullopt;
  }
  if (settle_at_ <= now) {
    first_output_.reset();
    const bool settled = now - last_output_ >= rules_.timing.settle_ms;
    settle_at_ = settled ? kNever : last_output_ + rules_.timing.settle_ms;
  }
  again_at_ = kNever;
  sampled_frames_ = screen.synchronized_frames();
  ++counters_.samples;
  if (stale_ && refresh(screen)) {
    raw_ = evaluate();
    ++counters_.evaluations;
  } else {
    ++counters_.fast_exits;
  }
  stale_ = false;
  finding_ = raw_;
  if (finding_.typed) box_text_ = *finding_.typed;
  if (finding_.rule == nullptr) {
    candidate_.reset();
    return std::nullopt;
  }
  account_for_keys(now, finding_);
  return confirm(now, finding_);
}

// True when any signal the rules look at is not as it was.
bool Detector::refresh(const term::Screen& screen) {
  bool changed = rows_.refresh(screen, rules_.rows);
  const bool first = counters_.evaluations == 0;  // some patterns match the empty text
  const auto follow = [this, first, &changed](Signal& signal, const std::string& now) {
    if (signal.text == now && !first) return;
    signal = {now, rules_.texts.match(now)};
    changed = true;
  };
  follow(title_, screen.title());
  follow(report_, screen.reported_state());
  follow(progress_, progress_text(screen.progress()));
  if (changed) layout_ = find_layout(rules_, rows_);
  return changed;
}

Finding Detector::evaluate() const {
  Finding finding;
  if (layout_.box) finding.typed = box_text(rules_, rows_, layout_);
  for (const Rule& rule : rules_.rules) {
    int row = -1;
    if (!holds(rule, &row)) continue;
    finding.rule = &rule;
    finding.status = rule.status;
    finding.cause = cause_of(rule);
    finding.row = row;
    break;
  }
  if (finding.status == AgentStatus::kIdle && finding.cause == Cause::kNone && finding.typed &&
      !finding.typed->empty()) {
    finding.cause = starts_command(finding.typed) ? Cause::kMenu : Cause::kDraft;
  }
  return finding;
}

const Detector::Signal* Detector::signal_of(Region region) const {
  switch (region) {
    case Region::kTitle:
      return &title_;
    case Region::kReport:
      return &report_;
    case Region::kProgress:
      return &progress_;
    case Region::kScreen:
    case Region::kBottom:
    case Region::kBox:
    case Region::kAbove:
    case Region::kBelow:
    case Region::kTurn:
    case Region::kDialog:
      return nullptr;
  }
  return nullptr;
}

bool Detector::holds(const Rule& rule, int* row) const {
  return std::all_of(rule.when.begin(), rule.when.end(),
                     [this, row](const Condition& c) { return holds(c, row); });
}

bool Detector::holds(const Condition& condition, int* row) const {
  const RowRange range = region_rows(condition.in, layout_);
  const Signal* signal = signal_of(condition.in.region);
  switch (condition.kind) {
    case Kind::kBox:
      return layout_.box;
    case Kind::kNoBox:
      return !layout_.box;
    case Kind::kMenu:
      return has_menu(rules_, rows_, range);
    case Kind::kNoMenu:
      return !has_menu(rules_, rows_, range);
    case Kind::kJoined:
      return condition.joined->matches(signal != nullptr ? signal->text : joined(rows_, range));
    case Kind::kAny:
      return std::any_of(condition.any.begin(), condition.any.end(),
                         [this, row](const Condition& c) { return holds(c, row); });
    case Kind::kAll:
      return std::all_of(condition.any.begin(), condition.any.end(),
                         [this, row](const Condition& c) { return holds(c, row); });
    case Kind::kMatch:
    case Kind::kNoMatch:
      break;
  }
  const bool wanted = condition.kind == Kind::kMatch;
  if (signal != nullptr) return signal->bits.test(condition.bit) == wanted;
  for (int i = range.end - 1; i >= range.begin; --i) {
    const PatternBits& bits = rows_[i].bits;
    if (bits.test(condition.bit)) {
      if (wanted && *row < 0) *row = i;
      return wanted;
    }
    if (condition.unless_after && bits.test(*condition.unless_after)) return false;
  }
  return !wanted;
}

Cause Detector::cause_of(const Rule& rule) const {
  if (rule.causes.empty()) return rule.cause;
  const Region where = rule.status == AgentStatus::kWaiting ? Region::kDialog : Region::kTurn;
  const std::string text = joined(rows_, region_rows({where, 0}, layout_));
  for (const CauseRule& cause : rule.causes) {
    if (cause.pattern.matches(text)) return cause.cause;
  }
  return rule.cause;
}

std::string Detector::dialog_signature() const {
  return joined(rows_, {std::max(0, layout_.used - kDialogRows), layout_.used});
}

// What was typed says what must come, before the agent has drawn it.
void Detector::account_for_keys(TimeMs now, Finding& finding) {
  const DetectTiming& t = rules_.timing;
  const auto working = [&finding](Cause cause) {
    finding.rule = nullptr;
    finding.status = AgentStatus::kWorking;
    finding.cause = cause;
    finding.row = -1;
  };
  if (submitted_) {
    const TimeMs age = now - submitted_->at;
    const bool at_prompt = event::accepts_input(finding.status) && finding.typed.has_value();
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
  if (finding.rule != nullptr && finding.rule->confirm_ms) return *finding.rule->confirm_ms;
  switch (finding.status) {
    case AgentStatus::kWaiting:
      return rules_.timing.waiting_ms;
    case AgentStatus::kIdle:
    case AgentStatus::kError:
      return status_ == AgentStatus::kStarting ? rules_.timing.start_ms : rules_.timing.idle_ms;
    case AgentStatus::kWorking:
      return status_ == AgentStatus::kStarting && finding.rule != nullptr
                 ? rules_.timing.start_working_ms
                 : 0;
    case AgentStatus::kStarting:
    case AgentStatus::kExited:
      return 0;
  }
  return 0;
}

// Asymmetric: working is believed at once, idle and error after they held for a while, a dialog
// when it stood twice.
std::optional<event::StatusChange> Detector::confirm(TimeMs now, const Finding& finding) {
  if (finding.status == status_) {
    candidate_.reset();
    if (finding.cause == cause_) return std::nullopt;
    if (status_ == AgentStatus::kWaiting && finding.cause == Cause::kNone) return std::nullopt;
    return take(now, finding, 1, now);
  }
  // Idle and error confirm each other: between them only the transcript differs.
  const auto same = [](AgentStatus a, AgentStatus b) {
    return a == b || (event::accepts_input(a) && event::accepts_input(b));
  };
  if (!candidate_ || !same(candidate_->status, finding.status)) {
    candidate_ = Candidate{finding.status, now, 0};
  }
  candidate_->status = finding.status;
  ++candidate_->samples;
  const TimeMs due = candidate_->since + needed(finding);
  if (now < due) {
    look_again_at(due);
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
  change.row = finding.row;
  change.samples = samples;
  change.lag_ms = now - first_seen;
  if (finding.status != status_) since_ = now;
  status_ = finding.status;
  cause_ = finding.cause;
  return change;
}

event::StatusChange Detector::on_exit() {
  event::StatusChange change;
  change.status = AgentStatus::kExited;
  change.from = status_;
  change.samples = 1;
  status_ = AgentStatus::kExited;
  cause_ = Cause::kNone;
  return change;
}

}  // namespace orch::detect
