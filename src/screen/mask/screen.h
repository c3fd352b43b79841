#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mask/secrets.h"
#include "term/screen.h"

// Secrets as a screen shows them, in whatever order and pieces and with whatever cursor movements
// they were drawn.
namespace orch::mask {

// Columns [from, to) of a row, counted from 0.
struct Cells {
  int row = 0, from = 0, to = 0;
  bool operator==(const Cells&) const = default;
};

// The cells that show the screen's secrets, row by row, including secrets that continue in the next
// row with a frame and margins between. Combining marks do not hide a character of a secret.
std::vector<Cells> find_on(const std::shared_ptr<const Secrets>& secrets,
                           const term::Screen& screen);

// Does the same as find_on(), again and again, on one changing screen. It searches only changed
// rows, and neighbouring rows that may share a secret with them.
class ScreenSearch {
 public:
  explicit ScreenSearch(std::shared_ptr<const Secrets> secrets) : secrets_(std::move(secrets)) {}

  std::vector<Cells> find_on(const term::Screen& screen);
  // The next call is for another screen.
  void forget() { rows_ = {}; }

 private:
  struct Row {
    uint64_t stamp = 0;         // term::Screen::stamp() when the row was searched; 0: never
    bool begins_apart = false;  // no secret from above may continue in it
    std::vector<Cells> cells;   // the cells of secrets
  };
  void search(const term::Screen& screen, size_t begin, size_t changed_end);

  std::shared_ptr<const Secrets> secrets_;
  std::vector<Row> rows_;
  term::Size size_;
};

// Some cells of a row and their contents: a secret as a screen shows it, to be looked for on
// earlier screens that already showed a part of it.
struct Standing {
  int row = 0, from = 0;
  std::vector<term::CellCode> codes;
  bool operator==(const Standing&) const = default;
};
std::vector<Standing> standing_in(const term::Screen& screen, const std::vector<Cells>& cells);
// The cells of another screen that show a part of these: the same character in the same place.
std::vector<Cells> parts_on(const std::vector<Standing>& later, const term::Screen& screen);
// The first and the last part of a secret are drawn at most this many milliseconds apart: readers
// of a recording look that far ahead.
inline constexpr int64_t kMostApartMs = 5'000;

// Writes a star over each of the cells, in the cell's own style. Cells outside of the screen are
// ignored.
void cover(term::Screen& screen, const std::vector<Cells>& cells);

// "cover=3:10-35 4:0-7": the text of a recording's marker that says that these cells were covered.
std::string cover_marker(const std::vector<Cells>& cells);
// The cells that a cover_marker() text names; empty for any other text.
std::vector<Cells> read_cover_marker(std::string_view text);

}  // namespace orch::mask
