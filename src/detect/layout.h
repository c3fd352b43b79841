#pragma once

#include <optional>
#include <string>

#include "detect/dialog_layout.h"
#include "detect/row_range.h"
#include "detect/row_text.h"
#include "detect/rows.h"
#include "detect/rules.h"

namespace orch::detect {

// Where the parts of an agent's interface are on the screen.
struct Layout {
  bool box = false;
  const BoxRules* kind = nullptr;  // of the box, in the RuleSet; null without a box
  RowRange box_rows;               // the text rows of the input box
  int box_top = 0;                 // the first row that belongs to the box (its upper border)
  int box_end = 0;                 // the row after its lower border
  int turn_begin = 0;              // the row after the last message of the user
  RowRange choices;       // the last list of choices that is not above the input box, if any
  bool numbered = false;  // the choices have numbers
  // The dialog at the end of the screen. A known dialog begins with its title. Any other begins
  // after the last rule, frame or bullet above the choices, and is empty if it would begin above
  // the end of the input box.
  RowRange dialog;
  std::optional<DialogLayout> known;  // set if the dialog is one of the manifest's `dialogs`
  int used = 0;                       // rows up to the last non-blank one
};

Layout find_layout(const RuleSet& rules, const Rows& rows);

// The rows of a region of the screen. kTitle, kReport and kProgress have no rows.
RowRange region_rows(const RegionSpec& spec, const Layout& layout);

// Whether the range holds a list of at least two choices, numbered or aligned under each other,
// with the cursor on one of them.
bool has_menu(const RuleSet& rules, const Rows& rows, const Layout& layout, RowRange range);

// The agent's own words in the dialog at the end of the screen: title, question, options and
// footer, joined by single spaces, without the body.
std::string spoken(const Rows& rows, const Layout& layout);

// The text that was typed into the input box: its rows joined, without the prompt glyph. "" if the
// box is empty or shows its placeholder.
std::string box_text(const Rows& rows, const Layout& layout);

}  // namespace orch::detect
