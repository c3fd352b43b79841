#pragma once

#include <string>
#include <vector>

#include "detect/layout.h"
#include "term/screen.h"

namespace orch::detect {

// A dialog as it stands on the screen.
struct DialogView {
  std::string title;  // its first row
  std::string body;   // the rows between title and choices, joined by line feeds
  std::vector<std::string>
      options;              // as drawn, without number, cursor and tick; wrapped rows joined
  int cursor = -1;          // index of the chosen option; -1 when none is marked
  bool numbered = false;    // a digit chooses: the options are numbered 1, 2, ...
  bool beside = false;      // the options stand beside each other in one row
  bool whole = false;       // its beginning is on the screen: a frame, a rule or a bar
  int width = 0;            // columns of the widest row on the screen: where text wraps
  std::vector<int> tinted;  // lines of the body, from 0, in a colour of their own; with a screen
  bool operator==(const DialogView&) const = default;
};

// Reads the dialog at the end of the screen: the last menu, and above it the text up to the next
// frame, rule or message of the transcript. Options may be numbered rows or one row of words.
DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout);

// The same with what shows by colours alone: tinted lines, and the cursor of options in one row,
// which is the one option whose background is not the row's. `screen` is that of `rows`; rows that
// have changed since have neither.
DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout,
                       const term::Screen& screen);

// Everything the dialog says, for a person: title, body and options, one a line.
std::string describe(const DialogView& dialog);

}  // namespace orch::detect
