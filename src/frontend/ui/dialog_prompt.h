#pragma once

#include <cstdint>
#include <string>
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
  std::string session;
  DialogPage::Verdict verdict;
};
struct Answer {
  std::string session, dialog;  // the name and the dialog's id, as they were shown
  agent::DialogChoice choice;
};
}  // namespace prompt
using PromptAction = std::variant<prompt::Nothing, prompt::TakeOver, prompt::Turned,
                                  prompt::Refused, prompt::Answer>;

// A session that waits for the user, and its dialog.
struct Asking {
  std::string session;
  run::WaitingDialog dialog;
};

// The dialog on the user's terminal and its keys: y, n, a digit, Space, Tab, e. Of several dialogs
// one is shown: it stays until it is gone or Tab puts it last, and the next one is the one that has
// waited longest. A key answers the dialog that was drawn when it was pressed, never another one,
// and only as DialogPage allows. Pure.
class DialogPrompt {
 public:
  // The dialogs that wait now, at most one of each session. The one of shown() is to be drawn in
  // rows of `columns`, `height` at once, as DialogPage::set.
  void show(std::vector<Asking> asking, int columns, int height);
  const Asking* shown() const { return queue_.empty() ? nullptr : &queue_.front().asking; }
  size_t others() const { return queue_.empty() ? 0 : queue_.size() - 1; }  // that wait, too
  const DialogPage& page() const { return page_; }
  void on_drawn(int64_t now_ms) { page_.on_drawn(now_ms); }
  // Takes input that the terminal sent in one piece. Several keys at once do not answer a dialog:
  // nobody types so fast, so they were pasted, or typed for something else.
  PromptAction on_input(const std::vector<TerminalInput>& inputs, int64_t now_ms);

  // From an answer until the dialog is gone, or until the answer has failed, its keys do nothing.
  void on_answering(const prompt::Answer& answer, const std::string& note);
  void on_answer_failed(const prompt::Answer& answer) { on_answering(answer, ""); }
  // About the dialog shown: "answering yes"; "" when its keys are taken.
  std::string note() const { return queue_.empty() ? "" : queue_.front().note; }

 private:
  struct Waiting {
    Asking asking;
    std::string note;
  };
  void turn_to_first();

  std::vector<Waiting> queue_;  // the first is shown, the others in the order of their turn
  DialogPage page_;
  int columns_ = 1, height_ = 1;
  bool told_too_early_ = false;
};

// The choice as the user would type it: "yes", "no", "2".
std::string word_of(const agent::DialogChoice& choice);

}  // namespace orch::ui
