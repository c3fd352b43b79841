#pragma once

#include <string>
#include <vector>

#include "detect/layout.h"

namespace orch::detect {

// A dialog as it stands on the screen.
struct DialogView {
  std::string title;                 // its first row
  std::string body;                  // the rows between title and choices, joined by line feeds
  std::vector<std::string> options;  // as drawn, without number and cursor; wrapped rows joined
  int cursor = -1;                   // index of the chosen option; -1 when none is marked
  bool numbered = false;             // a digit chooses
  bool operator==(const DialogView&) const = default;
};

// Reads the dialog at the end of the screen: the last menu, and above it the text up to the next
// frame, rule or message of the transcript. Options may be numbered rows or one row of words.
DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout);

// Everything the dialog says, for a person: title, body and options, one a line.
std::string describe(const DialogView& dialog);

}  // namespace orch::detect
