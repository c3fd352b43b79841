#include "detect/evidence.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "detect/row_text.h"

namespace orch::detect {

using event::AgentStatus;
using event::Cause;
using Kind = ConditionSpec::Kind;

namespace {

// A title moves if it has changed twice in this time. Spinners in titles change each tenth of a
// second, and a busy machine draws five times in a second.
constexpr TimeMs kMovesMs = 1500;
constexpr std::string_view kNobody = "\n";  // no program's name: report_of("") means any program
constexpr size_t kBeats = 5;                // pauses that make a rhythm
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

Evidence::Evidence(const RuleSet& rules)
    : rules_(rules),
      report_app_(rules.report_app == kAnyApp ? std::string(kNobody) : rules.report_app) {}

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
  const term::StateReport& report = screen.report_of(report_app_);
  follow(report_, report.number == doubted_ ? std::string() : report.text);
  follow(progress_, progress_text(screen.progress()));
  if (screen.modes().bracketed_paste != (paste_ == Paste::kOn)) {
    paste_ = screen.modes().bracketed_paste ? Paste::kOn : Paste::kOff;
    changed = true;
  }
  if (rules_.cursor && follow_cursor(screen)) changed = true;
  looked_ = true;
  if (rules_.motion) {
    motion_.look(now, rows_, screen);
    if (now >= evaluated_for_) changed = true;
  }
  if (!changed) return false;
  for (int row = 0; row < rows_.used(); ++row) seen_rows_ |= rows_[row].bits;
  seen_titles_ |= title_.bits;
  layout_ = find_layout(rules_, rows_);
  if (rules_.motion) evaluated_for_ = motion_until(now);
  const size_t above = hash_above();
  if (above != above_ || title_.since == now) moved_ = now;
  above_ = above;
  return true;
}

// Returns true if the cursor's row, or the text before the cursor in it, has changed.
bool Evidence::follow_cursor(const term::Screen& screen) {
  std::optional<std::string> before;
  if (screen.modes().cursor_visible) {
    term::RowView row = screen.row(screen.cursor_row());
    const auto column = static_cast<size_t>(screen.cursor_col());
    row.codes = row.codes.first(std::min(column, row.codes.size()));
    row.styles = row.styles.first(row.codes.size());
    screen.append_text(row, before.emplace());
  }
  const bool moved = std::exchange(cursor_row_, rows_.cursor_row()) != rows_.cursor_row();
  return std::exchange(cursor_, before) != before || moved;
}

Motion::Moves Evidence::moves_of(const Condition& condition) const {
  const RowRange range = region_rows(condition.in, layout_);
  return condition.colors ? motion_.shimmers_in(range) : motion_.in(range);
}

bool Evidence::holds_in_time(const Condition& condition) const {
  if (condition.digits) {
    return (looked_at_ < rows_since_ + condition.ms) == (condition.kind == Kind::kMoved);
  }
  const Motion::Moves moves = moves_of(condition);
  if (condition.kind == Kind::kMoved) {
    return moves.count >= condition.times &&
           looked_at_ < moves.at[condition.times - 1] + condition.ms;
  }
  if (moves.count > 0 && looked_at_ < moves.at[0] + condition.ms) return false;
  if (condition.beat == 0) return true;
  if (moves.count <= kBeats) return false;
  for (size_t i = 0; i < kBeats; ++i) {
    if (moves.at[i] - moves.at[i + 1] > condition.beat) return false;
  }
  return true;
}

TimeMs Evidence::holds_until(const Condition& condition, TimeMs now) const {
  TimeMs until = kNever;
  for (const Condition& part : condition.any) until = std::min(until, holds_until(part, now));
  if (condition.kind != Kind::kMoved && condition.kind != Kind::kStill) return until;
  if (condition.digits) {
    const TimeMs ends = rows_since_ + condition.ms;
    return ends > now ? std::min(until, ends) : until;
  }
  const Motion::Moves moves = moves_of(condition);
  const size_t last = condition.kind == Kind::kMoved ? condition.times : 1;
  if (moves.count < last) return until;
  const TimeMs ends = moves.at[last - 1] + condition.ms;
  return ends > now ? std::min(until, ends) : until;
}

TimeMs Evidence::motion_until(TimeMs now) const {
  if (!rules_.motion) return kNever;
  TimeMs until = kNever;
  for (const Rule& rule : rules_.rules) {
    for (const Condition& condition : rule.when) {
      until = std::min(until, holds_until(condition, now));
    }
  }
  return until;
}

void Evidence::note_enter() {
  entered_ = true;
  seen_rows_.reset();
  seen_titles_.reset();
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
  if (layout_.box) finding.typed = box_text(rows_, layout_);
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
    case Kind::kMoved:
    case Kind::kStill:
      return holds_in_time(condition);
    case Kind::kPaste:
      return condition.paste == paste_;
    case Kind::kCursor:
      return cursor_ && condition.joined->matches(*cursor_);
    case Kind::kSeen:
      return (signal != nullptr ? seen_titles_ : seen_rows_).test(condition.bit);
    case Kind::kEntered:
    case Kind::kNotEntered:
      return entered_ == (condition.kind == Kind::kEntered);
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
