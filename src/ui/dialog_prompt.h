#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/dialog_choice.h"
#include "run/machine.h"
#include "ui/terminal_input.h"

namespace orch::ui {

// What a person's key means while a dialog is shown to them.
namespace prompt {
struct Nothing {};
struct TakeOver {};
struct TooEarly {};  // the person cannot have read the dialog yet; told once for each dialog
struct NotWhole {};  // not all of the command is shown, so that it cannot be allowed here
struct Answer {
  std::string dialog;  // the id of the dialog that was shown
  agent::DialogChoice choice;
};
}  // namespace prompt
using PromptAction = std::variant<prompt::Nothing, prompt::TakeOver, prompt::TooEarly,
                                  prompt::NotWhole, prompt::Answer>;

// The dialog that is shown to the person, and what their keys do about it: y, n, a digit, e. A key
// answers the dialog that was drawn when it was pressed, never another one. Pure.
class DialogPrompt {
 public:
  // The dialog was drawn; `whole`: with all of its command. nullptr: none is drawn.
  void on_drawn(const run::WaitingDialog* dialog, bool whole, int64_t now_ms);
  // What came from the terminal in one piece. More than one key at once is no answer: nobody types
  // so fast, so it was pasted, or typed for something else.
  PromptAction on_input(const std::vector<TerminalInput>& inputs, int64_t now_ms);

  // From an answer until the next dialog, or until it has failed, keys do nothing.
  void on_answering(std::string note) { note_ = std::move(note); }
  void on_answer_failed() { note_.clear(); }
  const std::string& note() const { return note_; }  // "answering yes"; "" when keys are taken

 private:
  std::string dialog_;  // the id; "": none is drawn
  std::optional<agent::DialogRequest> request_;
  bool whole_ = true;
  int64_t drawn_ms_ = 0;  // since when it is drawn
  bool told_too_early_ = false;
  std::string note_;
};

// The choice as a person's word: "yes", "no", "2".
std::string word_of(const agent::DialogChoice& choice);

}  // namespace orch::ui
