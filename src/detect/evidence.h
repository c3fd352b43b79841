#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "detect/layout.h"
#include "detect/rows.h"
#include "detect/rules.h"
#include "event/status.h"
#include "term/screen.h"

namespace orch::detect {

using base::kNever;
using base::TimeMs;

// Something that is said outside of the screen's rows.
struct Signal {
  std::string text;
  PatternBits bits;  // of RuleSet::texts
  TimeMs since = 0;  // when it was first seen to be as it is
};

// What one look at the signals says. Without a rule or notice there is no evidence and the status
// stays.
struct Finding {
  const Rule* rule =
      nullptr;  // of the RuleSet; nullptr when no rule holds or something else decided
  const NoticeRule* notice = nullptr;  // when a notice decided
  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;
  int row = -1;                      // the screen row the rule's first row condition matched
  std::optional<std::string> typed;  // the text in the input box; absent without a box
};

// How one rule fared: for explanations.
struct RuleTrial {
  const Rule* rule = nullptr;
  const Condition* failed = nullptr;  // the first condition that does not hold; nullptr: all do
  int row = -1;
};

// The signals as they were at the last look, and what the rules make of them. Knows nothing of time
// but when a signal changed.
class Evidence {
 public:
  explicit Evidence(const RuleSet& rules) : rules_(rules) {}  // outlives this

  // Looks at what changed. True when anything the rules can see is not as it was.
  bool refresh(TimeMs now, const term::Screen& screen);

  Finding evaluate() const;  // by the first rule that holds
  std::vector<RuleTrial> try_all() const;

  const Rows& rows() const { return rows_; }
  const Layout& layout() const { return layout_; }
  const Signal& title() const { return title_; }
  const Signal& report() const { return report_; }
  const Signal& progress() const { return progress_; }
  TimeMs rows_since() const { return rows_since_; }  // when a row last changed

 private:
  const Signal* signal_of(Region region) const;  // nullptr: a region of the screen
  const Condition* first_failed(const Rule& rule, int* row) const;
  bool holds(const Condition& condition, int* row) const;
  bool holds_in_rows(const Condition& condition, int* row) const;
  event::Cause cause_of(const Rule& rule, int row) const;
  RowRange last_words(int row) const;

  const RuleSet& rules_;
  Rows rows_;
  Layout layout_;
  Signal title_, report_, progress_;
  TimeMs rows_since_ = 0;
  bool looked_ = false;
};

// A first character that makes text in the box a command and no message.
bool is_command(std::string_view text);

}  // namespace orch::detect
