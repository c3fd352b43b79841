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

// The options of the dialog at the end of the screen, found from the end upwards, so that rows of
// its body that look like options are not reached. Each returns an empty range when there are none.

// Rows that are numbered without a gap, the number in the same column, with the rows that wrap. It
// begins at the option numbered 1, or where the row of the next lower number is missing.
RowRange find_numbered(const RuleSet& rules, const Rows& rows);

// A list without numbers: rows that begin in the column where the text behind the cursor begins.
RowRange find_listed(const RuleSet& rules, const Rows& rows);

// The last row of at least two answers that stand beside each other.
RowRange find_beside(const Rows& rows);

// Finds the options of each form once, and only those that are asked for.
class OptionFinder {
 public:
  // Both outlive this, and do not change meanwhile.
  OptionFinder(const RuleSet& rules, const Rows& rows) : rules_(rules), rows_(rows) {}
  RowRange find(OptionForm form);

 private:
  const RuleSet& rules_;
  const Rows& rows_;
  std::array<std::optional<RowRange>, 3> found_;  // by form
};

struct Options {
  std::vector<std::string> texts;  // as drawn, without number, cursor and tick; wrapped rows joined
  int cursor = -1;                 // index of the chosen one; -1 when none is marked
  bool numbered = false;           // their numbers are 1, 2, ...
  int first = 1;                   // the number of the first, as drawn; 1 where none has one
};
Options read_numbered(const RuleSet& rules, const Rows& rows, RowRange range);
Options read_listed(const RuleSet& rules, const Rows& rows, RowRange range);
// The cursor of answers in one row is the one answer whose background is not the row's. `screen` is
// that of `rows` and may be null; a row that has changed since has no cursor.
Options read_beside(const Rows& rows, int row, const term::Screen* screen);

}  // namespace orch::detect
