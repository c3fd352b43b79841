#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::ui {

// The rows at the foot of a program's output, redrawn in place. Computes the bytes for a terminal
// that nobody else writes to while the rows are shown. The cursor stays in the last row. A row
// consists only of text and SGR sequences, ends in the default style, and is narrower than the
// terminal. Pure.
class FootRows {
 public:
  bool shown() const { return !rows_.empty(); }

  // The bytes that erase the rows on a terminal of that width and leave the cursor where the first
  // row was; "" if no rows are shown. If the terminal has become narrower since they were drawn,
  // they are assumed to be wrapped, as nearly all terminals do.
  std::string erase(size_t columns);

  // The bytes that show `rows` in place of the present ones, below `printed`, which is whole lines
  // or "". They are one frame; "" if nothing changes.
  std::string show(std::vector<std::string> rows, std::string_view printed, size_t columns);

  // The rows are no longer on the terminal, or have moved.
  void forget() { rows_.clear(); }

 private:
  size_t height(size_t columns) const;
  std::string rewrite_changed(const std::vector<std::string>& rows) const;

  std::vector<std::string> rows_;
};

}  // namespace orch::ui
