#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "demo/keys.h"
#include "demo/line.h"

namespace orch::demo {

// The texts of a dialog. They belong to the table of scenarios and outlive every dialog.
struct DialogText {
  std::string_view title;
  std::string_view body;  // may be empty
  std::string_view question;
  std::span<const std::string_view> options;
};

// A question that takes the place of the input box until it is answered:
//
//   ────────────────
//    Bash command
//
//      touch out.txt
//
//    Do you want to proceed?
//    ❯ 1. Yes
//      2. No
//
//    Enter to confirm · Esc to cancel
class Dialog {
 public:
  enum class Step : uint8_t { kOpen, kChosen, kCancelled };

  explicit Dialog(const DialogText& text) : text_(&text) {}

  // Digits choose an option, arrows move the mark, Enter takes the marked option, Esc and Ctrl-C
  // cancel; other keys are ignored.
  Step on_key(const Key& key);
  size_t selected() const { return selected_; }
  const DialogText& text() const { return *text_; }
  std::vector<Line> lines(int width, Position* cursor) const;  // the cursor is at the marked option

 private:
  const DialogText* text_;
  size_t selected_ = 0;
};

}  // namespace orch::demo
