#pragma once

#include "ui/canvas.h"
#include "ui/top_model.h"

namespace orch::ui {

// Draws the model on a canvas of its size, which is blank: a row for each session, what the
// selected one asks, and the keys. At any size; what does not fit is left out.
void draw_top(const TopModel& model, int64_t now_ms, Canvas& canvas);

// One session as a row of a list: "? orch-42  waiting/permission  claude  12m  3  Proceed?". The
// columns of all rows are as wide as their widest text needs, in `width` columns altogether; what
// is least needed is left out first.
class TopColumns {
 public:
  TopColumns(const std::vector<const TopSession*>& sessions, int width);

  void draw_titles(Canvas& canvas, int row) const;
  void draw(Canvas& canvas, int row, const TopSession& session, int64_t now_ms) const;

 private:
  int width_ = 0;
  int name_ = 0, state_ = 0, agent_ = 0, age_ = 0, turns_ = 0, folder_ = 0;  // 0: left out
};

}  // namespace orch::ui
