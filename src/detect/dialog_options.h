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

// The rows of the options. They are searched for from the end of the screen upwards, so that rows
// of the body that look like options are not reached.
struct OptionRows {
  RowRange rows;          // empty if there are none
  bool numbered = false;  // the options have numbers; only for OptionForm::kStacked
};

// Options under each other. With numbers: numbered without a gap, all numbers in the same column;
// the rows begin at option 1, or below the first number that is missing. Without: rows that begin
// in the same column, one of them behind the cursor. Either kind has the rows into which an option
// wraps, its description and, among tick boxes, the button. Of two lists the lower one counts.
OptionRows find_stacked(const RuleSet& rules, const Rows& rows);

// The last row that holds at least two answers.
OptionRows find_beside(const Rows& rows);

// The last rows without a gap, if each of their parts names a key and its effect.
OptionRows find_keys(const Rows& rows);

// The last rows without a gap that each end with the name of a key in brackets.
OptionRows find_hinted(const Rows& rows);

// The last row, or the last few into which it wraps, if it ends with letters to answer by.
OptionRows find_letters(const Rows& rows);

// Finds the options of each form on first use, and remembers them.
class OptionFinder {
 public:
  // `rules` and `rows` must outlive the finder and must not change while it is in use.
  OptionFinder(const RuleSet& rules, const Rows& rows) : rules_(rules), rows_(rows) {}
  OptionRows find(OptionForm form);

 private:
  const RuleSet& rules_;
  const Rows& rows_;
  std::array<std::optional<OptionRows>, 5> found_;  // by form
};

// Whether this is the name of a key: term::key_bytes() knows it.
bool is_key_name(std::string_view name);

// The row under or among tick boxes that takes the ticks as they are: "Submit".
struct OptionButton {
  std::string text;
  size_t above = 0;     // how many options stand above it
  bool cursor = false;  // the cursor is on it
  bool operator==(const OptionButton&) const = default;
};

struct Options {
  std::vector<std::string> texts;  // names as drawn, without number, cursor and tick; wraps joined
  std::vector<std::string> descriptions;   // one for each option, "" for none
  std::vector<std::optional<bool>> ticks;  // one for each option; absent: it has no tick box
  // For kKeys, kHinted and kLetters: for each the names of its keys (term::key_bytes), with blanks
  // between.
  std::vector<std::string> keys;
  std::optional<OptionButton> button;
  int cursor = -1;        // index of the option under the cursor; -1 when none is marked
  bool numbered = false;  // the numbers are 1, 2, ...
  int first = 1;          // the number drawn before the first option; 1 without numbers
};
// Text in another style than the option is its description; rows in the same style continue its
// name.
Options read_stacked(const RuleSet& rules, const Rows& rows, const OptionRows& found);
// Whether the cursor stands in one of the rows of `range`, which must be rows of options.
bool has_cursor(const RuleSet& rules, const Rows& rows, RowRange range);

// Among answers in one row the cursor is on the only one that has another background than the row.
// `screen` is the screen that `rows` were read from, or null. No cursor is found without a screen,
// or if the row has changed on the screen since then.
Options read_beside(const Rows& rows, int row, const term::Screen* screen);
Options read_keys(const Rows& rows, RowRange range);
Options read_hinted(const Rows& rows, RowRange range);
struct Letters {
  std::string question;
  Options options;
};
Letters read_letters(const Rows& rows, RowRange range);

}  // namespace orch::detect
