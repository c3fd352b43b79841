#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "detect/rules.h"
#include "term/screen.h"

namespace orch::detect {

// How a glyph is drawn.
struct GlyphStyle {
  term::Color fg;
  uint16_t attributes = 0;  // term::kBold, ...
  bool operator==(const GlyphStyle&) const = default;
  bool tinted() const { return fg.kind != term::Color::Kind::kDefault; }
};

// A row of the screen as the rules see it: its text, its colours and which row patterns match it.
struct RowFacts {
  uint64_t stamp = 0;
  std::string text;
  PatternBits bits;
  bool blank = true;
  Colored colored = Colored::kNo;
  GlyphStyle first, last;  // of the first and the last glyph other than blanks and frames
  // A prompt, the cursor on the next glyph, and more that nobody typed: it is faint, or in one
  // colour where the cursor is seen there.
  bool hinted = false;
};

// The facts of all rows of one screen. refresh() reads only the rows whose stamp has changed since
// the last time, and rows that scrolled keep their facts.
class Rows {
 public:
  // Brings the facts up to date. Returns true if the facts of any row, or their places, changed.
  bool refresh(const term::Screen& screen, const PatternSet& patterns);

  const RowFacts& operator[](int row) const { return rows_[static_cast<size_t>(row)]; }
  int count() const { return static_cast<int>(rows_.size()); }
  int columns() const { return columns_; }
  int used() const { return used_; }              // rows up to the last non-blank one
  int cursor_row() const { return cursor_row_; }  // -1 while the cursor is hidden

  // How many rows were matched against the patterns, and how many were looked at, so far.
  uint64_t searched() const { return searched_; }
  uint64_t examined() const { return examined_; }

 private:
  bool adopt_scrolled(const term::Screen& screen, int row);

  int pane_edge_ = 0;  // see pane.h: the rows leave out the pane
  std::vector<RowFacts> rows_;
  std::string text_;
  int used_ = 0;
  int columns_ = 0;
  int cursor_row_ = -1;
  uint64_t searched_ = 0;
  uint64_t examined_ = 0;
};

}  // namespace orch::detect
