#pragma once

#include "ui/canvas.h"
#include "ui/top_model.h"

namespace orch::ui {

// Draws the model on a blank canvas of the model's size: a row for each session, the selected
// session's question, and the keys. Works at any size; parts that do not fit are left out.
void draw_top(const TopModel& model, int64_t now_ms, Canvas& canvas);

// One session as a row of a list: "? orch-42  waiting/permission  claude  12m  3  Proceed?". A
// column is as wide in all rows as its widest text needs; all together take `width` columns, and
// the least needed columns are left out first.
class TopColumns {
 public:
  TopColumns(const std::vector<const TopSession*>& sessions, int width);

  void draw_titles(Canvas& canvas, int row) const;
  void draw(Canvas& canvas, int row, const TopSession& session, int64_t now_ms) const;

 private:
  int width_ = 0;
  // The columns' widths; 0: the column is left out.
  int name_ = 0, state_ = 0, agent_ = 0, age_ = 0, turns_ = 0, folder_ = 0;
};

}  // namespace orch::ui
