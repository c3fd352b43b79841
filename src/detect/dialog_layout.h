#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/dialog_options.h"
#include "detect/dialog_rules.h"
#include "detect/row_range.h"
#include "detect/rows.h"

namespace orch::detect {

struct RuleSet;

// Where the parts of a dialog are that the agent's `dialogs` know. It is read from its options
// upwards and from the outside in: frame, bar or rule, title, question and footer are the agent's
// own drawing; whatever stands between title and question is the model's.
struct DialogLayout {
  const DialogRule* rule = nullptr;  // of the RuleSet; never null
  bool whole = false;                // its title is on the screen, and nothing hides a part of it
  int begin = 0;                     // its first row on the screen, without frame or rule
  int title = -1;                    // the title's row; -1 when it is not on the screen
  int side = -1;                     // the column of its frame's or bar's side; -1 without
  int width = 0;                     // columns from its first to its last, the frame's own included
  RowRange body, asks, options, footer;
};

// The dialog at the end of the screen. Nothing when none stands there that the rules know.
std::optional<DialogLayout> find_known_dialog(const RuleSet& rules, const Rows& rows,
                                              OptionFinder& options);

// The row without the dialog's frame or bar and the blank behind it.
std::string_view inner_text(const Rows& rows, int row, const DialogLayout& layout);

// The rows of a command or of a path. A row is without what stands left of the part.
struct DialogText {
  std::vector<std::string> rows;
  int room = 0;         // columns that a row has before its text wraps
  std::string breaks;   // characters behind which a word is broken where it wraps
  bool folded = false;  // a row stands for others that are not shown
  std::vector<size_t> others =
      {};  // of several paths: the rows in which those after the first begin
  bool operator==(const DialogText&) const = default;
};
// Nothing when the dialog does not hold the part.
std::optional<DialogText> find_part(const DialogRules& rules, const DialogPart& part,
                                    const Rows& rows, const DialogLayout& layout);

}  // namespace orch::detect
