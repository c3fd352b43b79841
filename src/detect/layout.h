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
  RowRange box_rows;      // the text rows of the input box
  int box_top = 0;        // the first row that belongs to the box (its upper border)
  int box_end = 0;        // the row after its lower border
  int turn_begin = 0;     // the row after the last message of the user
  RowRange choices;       // the last list of choices, not over the input box; empty without one
  bool numbered = false;  // ... and they have numbers
  // What stands at the end: a dialog that the agent's `dialogs` know, from its title on; otherwise
  // all from the last rule, frame or bullet above the choices. Empty where the input box is.
  RowRange dialog;
  std::optional<DialogLayout> known;
  int used = 0;  // rows up to the last non-blank one
};

Layout find_layout(const RuleSet& rules, const Rows& rows);

// The rows of a region of the screen (not of kTitle, kReport, kProgress, which are empty here).
RowRange region_rows(const RegionSpec& spec, const Layout& layout);

// A list of at least two choices with the cursor on one: numbered, or aligned under each other.
bool has_menu(const RuleSet& rules, const Rows& rows, const Layout& layout, RowRange range);

// What the agent itself says in the dialog at the end: title, question, options and footer, joined
// by single spaces, without the body.
std::string spoken(const Rows& rows, const Layout& layout);

// What was typed into the box: its rows joined, without the prompt glyph; "" when it is empty or
// shows its placeholder.
std::string box_text(const RuleSet& rules, const Rows& rows, const Layout& layout);

}  // namespace orch::detect
