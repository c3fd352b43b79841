#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::ui {

// The last rows that a program shows below what it prints, drawn anew in their place: computes the
// bytes for a terminal on which nobody else writes meanwhile. The cursor stays in the last of the
// rows. A row is text with SGR sequences and nothing else, ends in the default style, and is
// narrower than the terminal. Pure.
class FootRows {
 public:
  bool shown() const { return !rows_.empty(); }

  // The bytes that erase the rows on a terminal of that width, "" if none is shown; the cursor is
  // then where the first of them was. Where the terminal has become narrower since they were drawn,
  // they are taken to be wrapped, as nearly all terminals do.
  std::string erase(size_t columns);

  // The bytes that show `rows` in place of the present ones, below `printed`, which is whole lines
  // or "". They are one frame; "" if nothing changes.
  std::string show(std::vector<std::string> rows, std::string_view printed, size_t columns);

  // The rows are no longer on the terminal, or elsewhere.
  void forget() { rows_.clear(); }

 private:
  size_t height(size_t columns) const;
  std::string rewrite_changed(const std::vector<std::string>& rows) const;

  std::vector<std::string> rows_;
};

}  // namespace orch::ui
