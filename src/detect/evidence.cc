#include "detect/evidence.h"

#include <algorithm>
#include <functional>

#include "detect/row_text.h"

namespace orch::detect {

using event::AgentStatus;
using event::Cause;
using Kind = ConditionSpec::Kind;

namespace {

// A title moves if it has changed twice in this time. Spinners in titles change each tenth of a
// second, and a busy machine draws five times in a second.
constexpr TimeMs kMovesMs = 1500;
constexpr std::string_view kCommandStart = "/!#@";

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

// The part of the row before its text if a bar is in it, otherwise "".
std::string_view bar_before(std::string_view row) {
  const auto column = static_cast<size_t>(std::max(text_column(row), 0));
  const std::string_view before = row.substr(0, row.size() - from_column(row, column).size());
  return before.find_first_not_of(' ') == std::string_view::npos ? std::string_view() : before;
}

}  // namespace

bool is_command(std::string_view text) {
  return !text.empty() && kCommandStart.find(text.front()) != std::string_view::npos;
}

bool Evidence::refresh(TimeMs now, const term::Screen& screen) {
  bool changed = rows_.refresh(screen, rules_.rows);
  if (changed) rows_since_ = now;
  const bool title_moved = moves_until() != kNever;
  looked_at_ = now;
  if (title_moved && moves_until() == kNever) changed = true;
  const auto follow = [this, now, &changed](Signal& signal, const std::string& text) {
    if (signal.text == text && looked_) return;  // some patterns match the empty text
    signal = {text, rules_.texts.match(text), now, looked_ ? signal.since : signal.before};
    changed = true;
  };
  follow(title_, screen.title());
  const term::StateReport& report = screen.report_of(rules_.report_app);
  follow(report_, report.number == doubted_ ? std::string() : report.text);
  follow(progress_, progress_text(screen.progress()));
  looked_ = true;
  if (!changed) return false;
  layout_ = find_layout(rules_, rows_);
  const size_t above = hash_above();
  if (above != above_ || title_.since == now) moved_ = now;
  above_ = above;
  return true;
}

TimeMs Evidence::moves_until() const {
  const TimeMs until = title_.before + kMovesMs;
  return rules_.moves && looked_at_ <= until ? until : kNever;
}

size_t Evidence::hash_above() const {
  size_t hash = 0;
  for (int row = 0; row < (layout_.box ? layout_.box_top : layout_.used); ++row) {
    if (!rows_[row].blank) hash = hash * 31 + std::hash<std::string>()(rows_[row].text);
  }
  return hash;
}

Finding Evidence::evaluate() const {
  Finding finding;
  if (layout_.box) finding.typed = box_text(rules_, rows_, layout_);
  for (const Rule& rule : rules_.rules) {
    int row = -1;
    if (first_failed(rule, &row) != nullptr) continue;
    finding.rule = &rule;
    finding.status = rule.status;
    finding.cause = cause_of(rule, row);
    finding.row = row;
    break;
  }
  if (finding.status == AgentStatus::kIdle && finding.cause == Cause::kNone && finding.typed &&
      !finding.typed->empty()) {
    finding.cause = is_command(*finding.typed) ? Cause::kMenu : Cause::kDraft;
  }
  return finding;
}

std::vector<RuleTrial> Evidence::try_all() const {
  std::vector<RuleTrial> trials;
  for (const Rule& rule : rules_.rules) {
    RuleTrial trial{.rule = &rule, .failed = nullptr, .row = -1};
    trial.failed = first_failed(rule, &trial.row);
    trials.push_back(trial);
  }
  return trials;
}

const Signal* Evidence::signal_of(Region region) const {
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

const Condition* Evidence::first_failed(const Rule& rule, int* row) const {
  const auto failed = std::find_if_not(rule.when.begin(), rule.when.end(),
                                       [this, row](const Condition& c) { return holds(c, row); });
  return failed == rule.when.end() ? nullptr : &*failed;
}

bool Evidence::holds(const Condition& condition, int* row) const {
  const auto part_holds = [this, row](const Condition& c) { return holds(c, row); };
  const Signal* signal = signal_of(condition.in.region);
  const RowRange range = region_rows(condition.in, layout_);
  switch (condition.kind) {
    case Kind::kBox:
      return layout_.box;
    case Kind::kNoBox:
      return !layout_.box;
    case Kind::kMenu:
      return has_menu(rules_, rows_, layout_, range);
    case Kind::kNoMenu:
      return !has_menu(rules_, rows_, layout_, range);
    case Kind::kJoined:
      return condition.joined->matches(signal != nullptr ? signal->text : joined(rows_, range));
    case Kind::kAny:
      return std::any_of(condition.any.begin(), condition.any.end(), part_holds);
    case Kind::kAll:
      return std::all_of(condition.any.begin(), condition.any.end(), part_holds);
    case Kind::kMatch:
      return signal != nullptr ? signal->bits.test(condition.bit) : holds_in_rows(condition, row);
    case Kind::kMoves:
      return signal->bits.test(condition.bit) && moves_until() != kNever;
    case Kind::kNoMatch:
      return signal != nullptr ? !signal->bits.test(condition.bit) : holds_in_rows(condition, row);
  }
  return false;
}

// Searches from the end of the region upwards, so that later rows can overrule earlier ones.
bool Evidence::holds_in_rows(const Condition& condition, int* row) const {
  const bool wanted = condition.kind == Kind::kMatch;
  const RowRange range = region_rows(condition.in, layout_);
  for (int i = range.end - 1; i >= range.begin; --i) {
    const PatternBits& bits = rows_[i].bits;
    if (bits.test(condition.bit) && includes(rows_[i].colored, condition.colored)) {
      if (wanted && *row < 0) *row = i;
      return wanted;
    }
    if (condition.unless_after && bits.test(*condition.unless_after)) return false;
  }
  return !wanted;
}

// The rows that the cause is read from: from `row`, where the rule holds, to the end of the turn,
// and the rows directly above that stand at the same bar. Earlier words of the model do not explain
// the status. If `row` is not in the turn, it is the whole turn.
RowRange Evidence::last_words(int row) const {
  const RowRange turn = region_rows({Region::kTurn, 0}, layout_);
  if (row < turn.begin || row >= turn.end) return turn;
  RowRange words{row, turn.end};
  const std::string_view bar = bar_before(rows_[words.begin].text);
  while (!bar.empty() && words.begin > turn.begin &&
         bar_before(rows_[words.begin - 1].text) == bar) {
    --words.begin;
  }
  return words;
}

Cause Evidence::cause_of(const Rule& rule, int row) const {
  const bool waiting = rule.status == AgentStatus::kWaiting;
  if (waiting && layout_.known) return layout_.known->rule->spec.kind;
  if (rule.causes.empty()) return rule.cause;
  const std::string text = waiting ? spoken(rows_, layout_) : joined(rows_, last_words(row));
  for (const CauseRule& cause : rule.causes) {
    if (cause.pattern.matches(text)) return cause.cause;
  }
  return rule.cause;
}

}  // namespace orch::detect
