#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mask/secrets.h"
#include "term/screen.h"

// Secrets as a screen shows them, in whatever order, pieces and moves of the cursor they were
// drawn.
namespace orch::mask {

// Columns [from, to) of a row, counted from 0.
struct Cells {
  int row = 0, from = 0, to = 0;
  bool operator==(const Cells&) const = default;
};

// The cells that show the secrets of the screen, row by row; also of one that goes on in the next
// row, with a frame and margins between. Marks that are combined with a character do not hide it.
std::vector<Cells> find_on(const std::shared_ptr<const Secrets>& secrets,
                           const term::Screen& screen);

// Cells and what stands in them: a secret as a screen shows it, for the screens of before on which
// a part of it stood already.
struct Standing {
  int row = 0, from = 0;
  std::vector<term::CellCode> codes;
  bool operator==(const Standing&) const = default;
};
std::vector<Standing> standing_in(const term::Screen& screen, const std::vector<Cells>& cells);
// The cells of another screen that show a part of these: the same character in the same place.
std::vector<Cells> parts_on(const std::vector<Standing>& later, const term::Screen& screen);
// Between the first part of a secret and the last lie so many milliseconds at most: whoever looks
// at a recording looks so far ahead.
inline constexpr int64_t kMostApartMs = 5'000;

// Writes a star over each of them, in the style it has. Cells that the screen does not have are
// passed over.
void cover(term::Screen& screen, const std::vector<Cells>& cells);

// "cover=3:10-35 4:0-7": as a recording's marker tells it that these cells were covered.
std::string cover_marker(const std::vector<Cells>& cells);
// What such a marker tells; empty for any other text.
std::vector<Cells> read_cover_marker(std::string_view text);

}  // namespace orch::mask
