#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "attach/modes.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "term/screen.h"
#include "ui/output_stream.h"
#include "ui/painter.h"

namespace orch::ui {

// The first row to show of a screen when only `count` rows fit: the last rows with contents, or
// with the cursor, are shown.
int first_row_shown(const term::Screen& screen, int count);

// The part of the user's window that is left for an agent's screen above a line at its foot.
term::Size window_above_line();

// Draws an agent's screen on the user's terminal, with a status line at the foot if there is one.
// UserTerminal shows the alternate screen there. Frames follow each other as fast as the terminal
// takes them, and each draws only changes. The modes that decide what the terminal sends follow the
// agent's modes. If the screen is larger than the window, its end is shown.
class ScreenView {
 public:
  using Look = std::function<const term::Screen*()>;  // nullptr: no screen to show
  ScreenView(loop::Loop& loop, Ink ink, Look look);

  void show();  // starts drawing, on a terminal whose screen is empty
  void hide();  // drops pending drawing; the caller resets the terminal's modes
  bool shown() const { return shown_; }

  void on_changed();  // call it when the screen or the line has changed
  // call it when the window's size, and perhaps its contents, have changed
  void on_window_changed();
  void set_line(std::string line);

 private:
  void draw_soon();
  void draw();
  Canvas canvas_of(const term::Screen& screen, term::Size window, bool& from_origin) const;

  loop::Loop& loop_;
  Look look_;
  OutputStream out_;
  loop::Timer frame_timer_;
  Painter painter_;
  attach::MirroredModes modes_;
  std::string line_;
  bool shown_ = false;
  bool drawing_ = false;  // a frame is on its way to the terminal
  int64_t drawn_at_ms_ = 0;
  int half_frames_ = 0;  // how many were skipped since the last drawn frame
};

}  // namespace orch::ui
