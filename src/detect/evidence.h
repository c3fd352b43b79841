#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "detect/layout.h"
#include "detect/motion.h"
#include "detect/rows.h"
#include "detect/rules.h"
#include "event/status.h"
#include "term/screen.h"

namespace orch::detect {

using base::kNever;
using base::TimeMs;

// Text that the agent shows outside of the screen's rows, such as the window title.
struct Signal {
  std::string text;
  PatternBits bits;            // which patterns of RuleSet::texts match the text
  TimeMs since = 0;            // when this text was first seen
  TimeMs before = -1'000'000;  // when the previous text was first seen
};

// The result of one look at the screen and the other signals. If neither a rule nor a notice
// decided, there is no evidence and the status stays as it was.
struct Finding {
  // The rule that decided, in the RuleSet; nullptr if no rule holds or something else decided.
  const Rule* rule = nullptr;
  const NoticeRule* notice = nullptr;  // set if a notice decided
  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;
  int row = -1;                      // the screen row that the rule's first row condition matched
  std::optional<std::string> typed;  // the text in the input box; absent without a box
};

// Whether one rule holds, and if not, why: for `orch explain`.
struct RuleTrial {
  const Rule* rule = nullptr;
  const Condition* failed = nullptr;  // the first condition that fails; nullptr if all hold
  int row = -1;
};

// The rows and signals at the last look, and the rules applied to them. It does not depend on time
// except for when a row or a signal last changed.
class Evidence {
 public:
  explicit Evidence(const RuleSet& rules);  // `rules` must outlive this object

  // Looks at the screen again. Returns true if anything that the rules can see has changed.
  bool refresh(TimeMs now, const term::Screen& screen);
  // The program whose reports count: RuleSet::report_app, or the one that was found to be the
  // agent.
  const std::string& report_app() const { return report_app_; }
  void trust_reports_of(std::string app) { report_app_ = std::move(app); }
  // From the next refresh() on the rules do not see the agent's report of this number.
  void doubt_report(uint64_t number) { doubted_ = number; }

  Finding evaluate() const;  // by the first rule that holds
  std::vector<RuleTrial> try_all() const;

  const Rows& rows() const { return rows_; }
  const Layout& layout() const { return layout_; }
  const Signal& title() const { return title_; }
  const Signal& report() const { return report_; }
  const Signal& progress() const { return progress_; }
  TimeMs rows_since() const { return rows_since_; }  // when a row last changed
  // Until when the title counts as moving, if nothing happens; kNever if it does not move.
  TimeMs moves_until() const;
  // Until when conditions about motion stay as they are, if nothing happens; kNever without any.
  TimeMs motion_until(TimeMs now) const;
  // The rows may change before `until` without a move of the agent's: see Motion.
  void pass_over_motion(TimeMs until) { motion_.pass_over(until); }
  void note_enter();  // Enter was typed: for kEntered and kSeen, from the next refresh() on
  // When the agent last drew something that nobody else draws: a row that is not under the input
  // box, because a status line of the user's may be there, or its title. 0: never.
  TimeMs moved() const { return moved_; }

 private:
  const Signal* signal_of(Region region) const;  // nullptr if the region consists of screen rows
  const Condition* first_failed(const Rule& rule, int* row) const;
  bool holds(const Condition& condition, int* row) const;
  bool holds_in_rows(const Condition& condition, int* row) const;
  Motion::Moves moves_of(const Condition& condition) const;
  bool holds_in_time(const Condition& condition) const;
  TimeMs holds_until(const Condition& condition, TimeMs now) const;
  bool follow_cursor(const term::Screen& screen);
  event::Cause cause_of(const Rule& rule, int row) const;
  RowRange last_words(int row) const;
  size_t hash_above() const;

  const RuleSet& rules_;
  Rows rows_;
  Layout layout_;
  Motion motion_;
  Signal title_, report_, progress_;
  PatternBits seen_rows_, seen_titles_;  // patterns that a row, or the title, has matched
  bool entered_ = false;
  Paste paste_ = Paste::kNever;
  std::optional<std::string>
      cursor_;  // the text before the cursor in its row; absent: it is hidden
  int cursor_row_ = -1;
  std::string report_app_;
  TimeMs rows_since_ = 0;
  TimeMs moved_ = 0;
  TimeMs looked_at_ = 0;      // the last look
  TimeMs evaluated_for_ = 0;  // motion_until() at the last look
  size_t above_ = 0;  // a hash of the rows that are not under the input box, blank ones left out
  uint64_t doubted_ = 0;
  bool looked_ = false;
};

// Whether the first character makes the text in the input box a command instead of a message.
bool is_command(std::string_view text);

}  // namespace orch::detect
