#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/dialog_choice.h"
#include "run/machine.h"
#include "ui/dialog_page.h"
#include "ui/terminal_input.h"

namespace orch::ui {

// The meaning of a key pressed while a dialog is shown.
namespace prompt {
struct Nothing {};
struct TakeOver {};
struct Turned {};  // other rows of the dialog are to be drawn
// The key does not answer the dialog, and why. kTooEarly is reported once for each dialog.
struct Refused {
  DialogPage::Verdict verdict;
};
struct Answer {
  std::string dialog;  // the id of the dialog that was shown
  agent::DialogChoice choice;
};
}  // namespace prompt
using PromptAction = std::variant<prompt::Nothing, prompt::TakeOver, prompt::Turned,
                                  prompt::Refused, prompt::Answer>;

// The dialog on the user's terminal and its keys: y, n, a digit, Space, e. A key answers the dialog
// that was drawn when it was pressed, never another one, and only as DialogPage allows. Pure.
class DialogPrompt {
 public:
  // The dialog that is to be drawn, as DialogPage::set; nullptr: none is.
  void show(const run::WaitingDialog* dialog, int columns, int height);
  const DialogPage& page() const { return page_; }
  void on_drawn(int64_t now_ms) { page_.on_drawn(now_ms); }
  // Takes input that the terminal sent in one piece. Several keys at once do not answer a dialog:
  // nobody types so fast, so they were pasted, or typed for something else.
  PromptAction on_input(const std::vector<TerminalInput>& inputs, int64_t now_ms);

  // From an answer until the next dialog, or until it has failed, keys do nothing.
  void on_answering(std::string note) { note_ = std::move(note); }
  void on_answer_failed() { note_.clear(); }
  const std::string& note() const { return note_; }  // "answering yes"; "" when keys are taken

 private:
  DialogPage page_;
  bool told_too_early_ = false;
  std::string note_;
};

// The choice as the user would type it: "yes", "no", "2".
std::string word_of(const agent::DialogChoice& choice);

}  // namespace orch::ui
