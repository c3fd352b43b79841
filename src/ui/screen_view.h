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

// The first of the `count` rows of a screen that are shown: those at the end of what it holds.
int first_row_shown(const term::Screen& screen, int count);

// Draws an agent's screen on the person's terminal, which shows a screen of its own (UserTerminal),
// with a line at its foot if there is one to show. One frame after another, as fast as the terminal
// takes them; each only of what has changed. The modes that decide what the terminal sends follow
// the agent's. A screen that is larger than the window shows its end.
class ScreenView {
 public:
  using Look = std::function<const term::Screen*()>;  // nullptr: there is nothing to show
  ScreenView(loop::Loop& loop, Ink ink, Look look);

  void show();  // from now on; the terminal shows an empty screen
  void hide();  // what was not drawn yet is not drawn; whoever leaves the screen resets the modes
  bool shown() const { return shown_; }

  void on_changed();         // the screen, or the line
  void on_window_changed();  // and perhaps what is on the terminal
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
  int half_frames_ = 0;  // looked at since the last one
};

}  // namespace orch::ui
