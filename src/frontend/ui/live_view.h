#pragma once

#include <string>
#include <vector>

#include "run/machine.h"
#include "term/screen.h"
#include "ui/dialog_page.h"
#include "ui/painter.h"

// The rows above the status line while agents work on the user's terminal: the last rows of a
// single issue's agent, or a dialog that waits for the user. Pure.
namespace orch::ui {

// The input for the rows. Nothing is owned.
struct LivePicture {
  std::string session, agent;            // their names
  const term::Screen* screen = nullptr;  // the agent's; nullptr: it has none
  const run::WaitingDialog* dialog = nullptr;
  const DialogPage* page = nullptr;  // the dialog's rows; not null if `dialog` is not
  std::string note = {};             // replaces the dialog's keys, "answering yes"; "" for none
  size_t others = 0;                 // how many other sessions wait with a dialog
  bool may_take_over = true;         // whether e takes the session over
};

// Whether there is room for the view: on a smaller window the words alone are shown.
bool live_view_fits(term::Size window);

// The rows in the form that FootRows takes. The agent's rows are the last ones with words, so that
// its input box does not hide its work; they take at most a third of the window, a dialog at most
// half.
std::vector<std::string> live_rows(const LivePicture& picture, term::Size window, Ink ink);

// The room that the view has for a dialog's rows, as DialogPage::set wants it.
int live_dialog_columns(term::Size window);
int live_dialog_height(term::Size window);

// The keys that answer the dialog, in words: "y yes   n no   1-3 choose".
std::string answer_keys(const agent::DialogRequest& request);

}  // namespace orch::ui
