#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "demo/line.h"

namespace orch::demo {

// The draft of a message. A long paste is shown as a placeholder, but sent as a whole.
class InputBox {
 public:
  // A paste with at least this many line breaks becomes a placeholder.
  static constexpr size_t kPlaceholderLines = 10;

  bool empty() const { return pieces_.empty(); }
  void type(std::string_view text);
  void paste(std::string text);
  void backspace();  // removes one character, or one placeholder
  void clear() { pieces_.clear(); }
  std::string take();  // returns the message, with every paste in its place, and empties the box

  // Returns a rule, the prompt with the draft and the cursor, and another rule. If the draft has
  // more than max_rows rows, the last ones are shown. *cursor is counted in the returned rows.
  std::vector<Line> lines(int width, size_t max_rows, Position* cursor) const;

 private:
  struct Piece {
    std::string text;
    std::string placeholder;  // empty: the text itself is shown
  };

  std::vector<Piece> pieces_;
  int pastes_ = 0;
};

Line rule(int width, Ink ink);

}  // namespace orch::demo
