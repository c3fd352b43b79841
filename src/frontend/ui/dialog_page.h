#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/dialog_choice.h"
#include "agent/dialog_request.h"
#include "wire/status_report.h"

// A dialog as a user reads it, and whether they have read it: `orch top` and the live view show it
// by this page, and take no answer that the page does not allow. Pure.
namespace orch::ui {

// The texts of a dialog. They come from an agent; code that draws them makes them harmless.
struct DialogText {
  std::string question;
  std::string command;  // "" if it does not ask about a command
  std::string body;     // its other words, only where it has no command
  struct Option {
    int number = 0;
    std::string label;  // "Yes - and do not ask again"
  };
  std::vector<Option> options;
  bool is_set = false;     // any number of options may be ticked
  bool shortened = false;  // it says more than is known here
};
DialogText text_of(const agent::DialogRequest& request);
DialogText text_of(const wire::DialogReport& report);

struct DialogRow {
  enum class Part : uint8_t { kQuestion, kCommand, kBody, kOption };
  std::string text;
  Part part = Part::kQuestion;
  bool operator==(const DialogRow&) const = default;
};
// The whole dialog in rows of at most `columns`; each option begins a row of its own.
std::vector<DialogRow> rows_of(const DialogText& text, int columns);

// The part of a dialog's rows that is on the terminal, and the user's answer to it.
class DialogPage {
 public:
  // An answer must come at least this many milliseconds after the last of the dialog's rows was
  // drawn: nobody reads and decides faster.
  static constexpr int64_t kReadMs = 400;

  // Sets the dialog that is to be drawn, by an id that no other dialog has, in rows of `columns`,
  // `height` (at least 1) at once. If anything of that is new, reading begins again.
  void set(const std::string& id, const DialogText& text, int columns, int height);
  void clear();  // no dialog is drawn

  const std::string& id() const { return id_; }  // "" without a dialog
  size_t size() const { return rows_.size(); }
  size_t first() const { return first_; }
  std::span<const DialogRow> shown() const;  // the rows to draw
  bool is_whole() const { return rows_.size() <= height_; }
  // The words for a rule above the rows, "rows 1-5 of 12, Space for more"; "" if all fit.
  std::string position() const;
  // Shows the next rows, and after the last ones the first again.
  void turn();
  // The rows of shown() are on the terminal now.
  void on_drawn(int64_t now_ms);

  enum class Verdict : uint8_t {
    kTake,
    kTooEarly,  // its last rows have just been drawn
    kNotRead,   // not all of its rows were drawn
    kTooLong,   // it says more than is known here
    kNoOption,  // the number of no option
    kSeveral,   // one key cannot say all that shall be ticked
  };
  // Whether a key pressed now may answer the dialog with that choice.
  Verdict check(const agent::DialogChoice& choice, int64_t now_ms) const;

 private:
  std::string id_;
  DialogText text_;
  std::vector<DialogRow> rows_;
  size_t height_ = 1, first_ = 0;
  size_t drawn_ = 0;      // how many rows, from the first on, have been drawn
  int64_t drawn_ms_ = 0;  // when the last of them was
};

// The message for a user whose key was refused; `session` is the session's name. "" for kTake.
std::string refusal_of(DialogPage::Verdict verdict, const std::string& session);

}  // namespace orch::ui
