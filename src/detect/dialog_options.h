#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/dialog_rules.h"
#include "detect/row_range.h"
#include "detect/rows.h"
#include "term/screen.h"

namespace orch::detect {

struct RuleSet;

// These functions find the options of the dialog at the end of the screen. They search from the end
// upwards, so that they do not reach rows of the body that look like options. Each returns an empty
// range if there are no options of its form.

// Options that are numbered without a gap, all numbers in the same column, with the rows into which
// an option wraps. The range begins at option 1, or below the first number that is missing.
RowRange find_numbered(const RuleSet& rules, const Rows& rows);

// A list without numbers: rows whose text begins in the same column as the text after the cursor.
RowRange find_listed(const RuleSet& rules, const Rows& rows);

// The last row that holds at least two answers beside each other.
RowRange find_beside(const Rows& rows);

// Finds the options of each form when they are first asked for, and remembers them.
class OptionFinder {
 public:
  // `rules` and `rows` must outlive the finder and must not change while it is in use.
  OptionFinder(const RuleSet& rules, const Rows& rows) : rules_(rules), rows_(rows) {}
  RowRange find(OptionForm form);

 private:
  const RuleSet& rules_;
  const Rows& rows_;
  std::array<std::optional<RowRange>, 3> found_;  // by form
};

struct Options {
  std::vector<std::string> texts;  // as drawn, without number, cursor and tick; wrapped rows joined
  int cursor = -1;                 // index of the option under the cursor; -1 when none is marked
  bool numbered = false;           // the numbers are 1, 2, ...
  int first = 1;                   // the number drawn before the first option; 1 without numbers
};
Options read_numbered(const RuleSet& rules, const Rows& rows, RowRange range);
Options read_listed(const RuleSet& rules, const Rows& rows, RowRange range);
// Among answers in one row the cursor is on the only one that has another background than the row.
// `screen` is the screen that `rows` were read from, or null. No cursor is found without a screen,
// or if the row has changed on the screen since then.
Options read_beside(const Rows& rows, int row, const term::Screen* screen);

}  // namespace orch::detect
