#include "term/terminal.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "term/terminal_fast.h"

namespace orch::term {
namespace {

constexpr uint32_t kInitialStyles = 256, kInitialClusters = 64;

Size clamped(Size size) {
  return {std::clamp(size.cols, 1, kMaxCols), std::clamp(size.rows, 1, kMaxRows)};
}

}  // namespace

Terminal::Terminal(Size size)
    : size_(clamped(size)),
      main_(size_, clock_),
      region_{0, size_.rows},
      last_{size_.cols - 1, size_.rows - 1},
      styles_(kInitialStyles, kMaxStyles),
      clusters_(kInitialClusters, kMaxClusters),
      widths_(WidthTable::instance()) {
  reset_tabs();
  update_detour();
}

void Terminal::other_control(uint8_t c0) {
  switch (c0) {
    case '\v':
    case '\f':
      line_feed();
      if (newline_) cursor_.col = 0;
      return;
    case '\b':
      move_cols(-1);
      return;
    case '\t':
      tab_forward(1);
      return;
    case 0x0E:
      cursor_.shift = 1;
      update_detour();
      return;
    case 0x0F:
      cursor_.shift = 0;
      update_detour();
      return;
  }
}

void Terminal::osc(std::string_view payload, StringEnd end) {
  last_character_ = 0;
  int number = 0;
  const auto [digits_end, error] =
      std::from_chars(payload.data(), payload.data() + payload.size(), number);
  const auto digits = static_cast<size_t>(digits_end - payload.data());
  if (error != std::errc{} || digits == payload.size() || payload[digits] != ';') return;
  const std::string_view text = payload.substr(digits + 1);
  const std::string_view terminator = end == StringEnd::kBell ? "\a" : "\033\\";
  report_colors(number, text, terminator);
  // Whether this terminal reads the reports of OSC 7501; one that does answers with the query.
  if (number == 7501 && text == "?") reply(std::string("\033]7501;?").append(terminator));
  announcements_.announce(number, text);
}

void Terminal::reply(std::string_view text) {
  if (replies_.size() + text.size() <= kMaxReplyBytes) replies_.append(text);
}

std::string Terminal::take_replies() { return std::exchange(replies_, {}); }

void Terminal::set_scroll_sink(const Screen* screen, ScrollSink* sink) {
  screen_ = screen;
  sink_ = sink;
}

void Terminal::resize(Size size) {
  const Size wanted = clamped(size);
  if (wanted == size_) return;
  int& main_row = modes_.alternate ? saved_[0].cursor.row : cursor_.row;
  resize_main(wanted, main_row);
  if (alternate_ != nullptr) alternate_->resize(wanted);
  // New columns get the tab stops that a new terminal has.
  for (int col = size_.cols; col < wanted.cols; ++col) {
    tabs_.set(static_cast<size_t>(col), col % kTabWidth == 0);
  }
  size_ = wanted;
  last_character_ = 0;
  last_ = {size_.cols - 1, size_.rows - 1};
  update_detour();
  region_ = {0, size_.rows};
  for (Cursor* cursor : {&cursor_, &saved_[0].cursor, &saved_[1].cursor}) {
    cursor->row = std::min(cursor->row, size_.rows - 1);
    cursor->col = std::min(cursor->col, size_.cols - 1);
    cursor->wrap_pending = false;
  }
}

void Terminal::cover(int row, int from, int to) {
  from = std::max(from, 0);
  to = std::min(to, size_.cols);
  if (row < 0 || row >= size_.rows || from >= to) return;
  const Grid::Line& line = grid_->prepare(row, from, to);
  std::fill(line.codes + from, line.codes + to, CellCode{'*'});
}

// If the new size would cut off the cursor's row, rows leave at the top instead and count as
// scrolled off.
void Terminal::resize_main(Size size, int& cursor_row) {
  const int excess = cursor_row - (size.rows - 1);
  if (excess > 0) {
    for (int row = 0; row < excess && sink_ != nullptr; ++row) {
      sink_->on_scrolled_off(*screen_, main_.view(row));
    }
    main_.scroll_up({0, size_.rows}, excess, 0);
    cursor_row -= excess;
  }
  main_.resize(size);
}

}  // namespace orch::term
