#include "ui/screen_view.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "ui/user_terminal.h"

namespace orch::ui {
namespace {

constexpr int64_t kFrameMs = 16;
// How many unfinished frames of the agent are skipped. Terminals, too, show an incomplete frame
// when the end of a synchronized one does not come.
constexpr int kMostHalfFrames = 10;

}  // namespace

int first_row_shown(const term::Screen& screen, int count) {
  int last = screen.size().rows - 1;
  std::string text;
  for (; last > screen.cursor_row(); --last) {
    screen.append_row_text(last, text);
    if (!text.empty()) break;
  }
  return std::max(last + 1 - count, 0);
}

term::Size window_above_line() {
  term::Size size = terminal_size().value_or(term::Size{});
  size.rows = std::max(size.rows - 1, 1);
  return size;
}

ScreenView::ScreenView(loop::Loop& loop, Ink ink, Look look)
    : loop_(loop),
      look_(std::move(look)),
      out_(loop, STDERR_FILENO),
      frame_timer_(loop),
      painter_(ink) {}

void ScreenView::show() {
  shown_ = true;
  modes_ = {};
  painter_.forget();
  draw();
}

void ScreenView::hide() {
  shown_ = drawing_ = false;
  frame_timer_.stop();
  out_.discard();
}

void ScreenView::on_changed() { draw_soon(); }

void ScreenView::on_window_changed() {
  painter_.forget();
  draw_soon();
}

void ScreenView::set_line(std::string line) {
  if (line == line_) return;
  line_ = std::move(line);
  draw_soon();
}

// A change of a screen that was at rest is drawn at once, further ones at most every kFrameMs.
void ScreenView::draw_soon() {
  if (!shown_ || drawing_) return;
  drawing_ = true;
  const int64_t wait_ms = drawn_at_ms_ + kFrameMs - loop_.now_ms();
  frame_timer_.start(std::clamp<int64_t>(wait_ms, 0, kFrameMs), [this] {
    out_.when_drained([this] {
      drawing_ = false;
      draw();
    });
  });
}

void ScreenView::draw() {
  const term::Screen* screen = look_();
  if (!shown_ || screen == nullptr) return;
  drawn_at_ms_ = loop_.now_ms();
  if (screen->modes().synchronized && ++half_frames_ < kMostHalfFrames) return draw_soon();
  half_frames_ = 0;
  bool from_origin = true;
  std::string bytes =
      painter_.paint(canvas_of(*screen, terminal_size().value_or(screen->size()), from_origin));
  const attach::MirroredModes modes = attach::modes_to_mirror(screen->modes(), from_origin);
  bytes += attach::change_of_modes(modes_, modes);
  modes_ = modes;
  if (!bytes.empty()) out_.write(std::move(bytes));
}

Canvas ScreenView::canvas_of(const term::Screen& screen, term::Size window,
                             bool& from_origin) const {
  Canvas canvas(window);
  const bool has_line = !line_.empty() && window.rows > 1;
  const int rows = window.rows - (has_line ? 1 : 0);
  const int first = first_row_shown(screen, rows);
  from_origin = first == 0;
  canvas.draw(screen, {.row = first, .col = 0, .rows = rows, .cols = window.cols}, 0, 0);
  const Canvas::Position cursor{screen.cursor_row() - first, screen.cursor_col()};
  const bool shows_cursor = screen.modes().cursor_visible && cursor.row >= 0 && cursor.row < rows &&
                            cursor.col < window.cols;
  if (shows_cursor) canvas.set_cursor(cursor);
  if (has_line) {
    const term::Style bar{.fg = {}, .bg = {}, .attributes = term::kInverse};
    canvas.fill({.row = rows, .col = 0, .rows = 1, .cols = window.cols}, bar);
    canvas.put(rows, 0, fitted(line_, window.cols), bar);
  }
  return canvas;
}

}  // namespace orch::ui
