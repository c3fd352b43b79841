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

// Where the parts of a known dialog (one of the manifest's `dialogs`) are on the screen. It is read
// from the options upwards and from the outside inwards: the agent draws the frame, bar or rule,
// the title, the question and the footer, and the model writes all text between title and question.
struct DialogLayout {
  const DialogRule* rule = nullptr;  // points into the RuleSet; never null
  bool whole = false;                // the title is on the screen, and no part is hidden
  bool clipped = false;              // the screen has too few rows for all of it
  int begin = 0;                     // the first row on the screen, without the frame or rule
  int title = -1;                    // the row of the title; -1 when it is not on the screen
  int side = -1;                     // the column of the frame's or bar's side; -1 without one
  int width = 0;                     // columns, with the frame or bar
  RowRange body, asks, options, footer;
  bool numbered = false;  // the options have numbers
};

// The dialog at the end of the screen; nullopt if it does not look like one that the rules know.
std::optional<DialogLayout> find_known_dialog(const RuleSet& rules, const Rows& rows,
                                              OptionFinder& options);

// The text of the row without the dialog's frame or bar and without the blank next to it.
std::string_view inner_text(const Rows& rows, int row, const DialogLayout& layout);

// The rows of a command or of a path in a dialog, without the text to the left of that part.
struct DialogText {
  std::vector<std::string> rows;
  int room = 0;         // columns of a row before its text wraps
  std::string breaks;   // a word that wraps may be broken after each of these characters
  bool folded = false;  // some of the text is not shown, or may not be
  // If there are several paths: the indices of the rows where the second and later ones begin.
  std::vector<size_t> others = {};
  int lead = 0;  // columns of the first row that the agent's own sign before the text takes
  bool operator==(const DialogText&) const = default;
};
// Finds the rows of the part; nullopt if the dialog does not have it.
std::optional<DialogText> find_part(const DialogRules& rules, const DialogPart& part,
                                    const Rows& rows, const DialogLayout& layout);

}  // namespace orch::detect
