#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/machine.h"
#include "term/screen.h"
#include "ui/dialog_page.h"
#include "ui/painter.h"

// What stands above the status line while the agent of a single issue works on the person's
// terminal: the agent's last rows, or the dialog that waits for the person. Pure.
namespace orch::ui {

// What is known when the rows are drawn. Nothing is owned.
struct LivePicture {
  std::string session, agent;            // their names
  const term::Screen* screen = nullptr;  // the agent's; nullptr: it has none
  const run::WaitingDialog* dialog = nullptr;
  const DialogPage* page = nullptr;  // the dialog's rows; not null if `dialog` is not
  std::string note = {};  // stands in place of the dialog's keys, "answering yes"; "" for none
};

// Whether there is room for the view: on a smaller window the words alone are shown.
bool live_view_fits(term::Size window);

// The rows as FootRows wants them. The agent's rows are the last ones with words, so that its input
// box does not take the place of what it does; they take at most a third of the window, a dialog at
// most half of it.
std::vector<std::string> live_rows(const LivePicture& picture, term::Size window, Ink ink);

// The room that the view has for a dialog's rows, as DialogPage::set wants it.
int live_dialog_columns(term::Size window);
int live_dialog_height(term::Size window);

// The keys that answer the dialog, as words for the person: "y yes   n no   1-3 choose".
std::string answer_keys(const agent::DialogRequest& request);

}  // namespace orch::ui
