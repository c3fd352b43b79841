#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detect/dialog_layout.h"
#include "detect/layout.h"
#include "term/screen.h"

namespace orch::detect {

// A dialog as it stands on the screen.
struct DialogView {
  std::string title;  // its first row
  std::string body;   // the rows between title and choices, joined by line feeds
  std::vector<std::string>
      options;            // as drawn, without number, cursor and tick; wrapped rows joined
  int cursor = -1;        // index of the chosen option; -1 when none is marked
  bool numbered = false;  // a digit chooses: the options are numbered 1, 2, ...
  int first = 1;          // the number of the first option, as drawn; 1 where none has one
  bool beside = false;    // the options stand beside each other in one row

  // Of a dialog that the agent's `dialogs` know; otherwise as they are here.
  event::Cause kind = event::Cause::kNone;
  std::string tool;
  DialogAction action = DialogAction::kUnknown;
  bool whole = false;                              // all of it was seen, from title to footer
  std::optional<DialogText> command;               // of kCommand
  std::vector<std::string> paths;                  // of kWrite
  std::vector<std::optional<OptionSense>> senses;  // of each option, where the agent's words say it
  bool operator==(const DialogView&) const = default;
};

// Reads the dialog at the end of the screen. One that the rules do not know is the last list of
// choices, and above it the text up to the next frame, rule or message of the transcript: enough
// for a person to read, and never whole. Empty where no dialog is drawn: the input box stands at
// the end, and what is over it was said before.
DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout);

// The same with what shows by colours alone: the cursor of options in one row, which is the one
// option whose background is not the row's. `screen` is that of `rows`.
DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout,
                       const term::Screen& screen);

}  // namespace orch::detect
