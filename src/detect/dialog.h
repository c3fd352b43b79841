#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detect/dialog_layout.h"
#include "detect/dialog_options.h"
#include "detect/layout.h"
#include "term/screen.h"

namespace orch::detect {

// A dialog as it is drawn on the screen.
struct DialogView {
  std::string title;  // the dialog's first row
  std::string body;   // the rows between title and options, joined by line feeds
  // The names, as drawn, without number, cursor and tick; the rows of a name that wraps are joined.
  std::vector<std::string> options;
  std::vector<std::string> descriptions;   // one for each option, "" for none; may be empty
  std::vector<std::optional<bool>> ticks;  // one for each option: its tick box; may be empty
  std::vector<std::string> keys;           // one for each option that a key of its own chooses
  std::optional<OptionButton> button;      // takes the ticks as they are
  int cursor = -1;        // index of the option under the cursor; -1 when none is marked
  bool numbered = false;  // the options are numbered 1, 2, ..., so that a digit chooses one
  int first = 1;          // the number drawn before the first option; 1 without numbers
  bool beside = false;    // the options stand in one row
  bool is_set() const;    // any number of options may be ticked

  // These keep their defaults unless the dialog is one of the manifest's `dialogs`.
  event::Cause kind = event::Cause::kNone;
  std::string tool;
  DialogAction action = DialogAction::kUnknown;
  bool whole = false;                 // all of the dialog was seen, from title to footer
  bool clipped = false;               // a higher screen would show more of it
  std::optional<DialogText> command;  // the rows of the command, for kCommand
  std::vector<std::string> paths;     // for kWrite
  // The sense of each option, if a pattern of the manifest's `words` matches the option's text.
  std::vector<std::optional<OptionSense>> senses;
  bool operator==(const DialogView&) const = default;
};

// Reads the dialog at the end of the screen. If the rules do not know the dialog, the result is the
// last list of choices and the text above it, up to the next frame, rule or message of the
// transcript. That is enough for the user to read, but it is never `whole`. The result is empty if
// the input box stands at the end: text above the box belongs to the transcript.
DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout);

// The same. It also finds the cursor among options in one row, which only a background colour
// shows. `rows` must have been read from `screen`.
DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout,
                       const term::Screen& screen);

}  // namespace orch::detect
