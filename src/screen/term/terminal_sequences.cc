// Escape and control sequences: cursor movement, erasing, inserting and deleting, scrolling,
// reports.

#include <fmt/core.h>

#include <algorithm>

#include "term/parser.h"
#include "term/terminal_fast.h"

namespace orch::term {
namespace {

// DA1: a VT220 with ANSI colour. DA2: a VT100-like terminal without a firmware version.
constexpr std::string_view kDeviceAttributes = "\033[?62;22c";
constexpr std::string_view kSecondaryAttributes = "\033[>0;100;0c";
constexpr std::string_view kVersion = "\033P>|orch(" ORCH_VERSION ")\033\\";
constexpr std::string_view kDarkColorScheme = "\033[?997;1n";

}  // namespace

void Terminal::escape(char intermediate, char final) {
  last_character_ = 0;
  if (intermediate == '(' || intermediate == ')') {
    cursor_.charsets[intermediate == ')'] = final == '0' ? Charset::kDecGraphics : Charset::kAscii;
    update_detour();
    return;
  }
  if (intermediate == '#' && final == '8') {
    grid_->fill_rows('E');
    region_ = {0, size_.rows};
    move_to(0, 0);
    return;
  }
  if (intermediate != 0) return;
  switch (final) {
    case '7':
      save_cursor();
      return;
    case '8':
      restore_cursor();
      return;
    case 'D':
      line_feed();
      return;
    case 'E':
      line_feed();
      cursor_.col = 0;
      return;
    case 'H':
      tabs_.set(static_cast<size_t>(cursor_.col));
      return;
    case 'M':
      reverse_line_feed();
      return;
    case '=':
    case '>':
      modes_.application_keypad = final == '=';
      return;
    case 'Z':
      reply(kDeviceAttributes);
      return;
    case 'c':
      reset();
      return;
  }
}

void Terminal::cursor_sequence(const ControlSequence& s) {
  const int n = s.at(0, 1);
  switch (s.final) {
    case 'A':
      move_rows(-n);
      return;
    case 'B':
      move_rows(n);
      return;
    case 'e':  // unlike CUD it is not stopped by the margins
      goto_row(cursor_.row - (modes_.origin ? region_.top : 0) + n);
      return;
    case 'C':
    case 'a':
      move_cols(n);
      return;
    case 'D':
      move_cols(-n);
      return;
    case 'E':
      move_rows(n);
      cursor_.col = 0;
      return;
    case 'F':
      move_rows(-n);
      cursor_.col = 0;
      return;
    case '`':
      move_to(cursor_.row, n - 1);
      return;
    case 'd':
      goto_row(n - 1);
      return;
    case 'f':
      goto_row(n - 1);
      move_to(cursor_.row, s.at(1, 1) - 1);
      return;
    default:
      edit_sequence(s);
      return;
  }
}

void Terminal::edit_sequence(const ControlSequence& s) {
  const int n = s.at(0, 1);
  const int cells = std::min(n, size_.cols - cursor_.col);
  switch (s.final) {
    case 'J':
      erase_in_display(s.at(0, 0));
      return;
    case 'K':
      erase_in_line<Portable>(s.at(0, 0));
      return;
    case 'L':
      insert_lines(n);
      return;
    case 'M':
      delete_lines(n);
      return;
    case 'S':
      scroll_region_up(n);
      return;
    case 'T':
      // With more parameters, or with 0, this is xterm's highlight tracking
      if (s.count > 1 || (s.count == 1 && s.at(0, 0) == 0)) return;
      grid_->scroll_down(region_, std::min(n, region_.height()), blank());
      return;
    case '@':
      grid_->insert_cells(cursor_.row, cursor_.col, cells, blank());
      cursor_.wrap_pending = false;
      return;
    case 'P':
      grid_->delete_cells(cursor_.row, cursor_.col, cells, blank());
      cursor_.wrap_pending = false;
      return;
    case 'X':
      grid_->erase<Portable>(cursor_.row, cursor_.col, cursor_.col + cells, blank());
      cursor_.wrap_pending = false;
      return;
    case 'b':
      repeat_last(n);
      return;
    case 'I':
      tab_forward(n);
      return;
    case 'Z':
      tab_back(n);
      return;
    default:
      report_sequence(s);
      return;
  }
}

void Terminal::report_sequence(const ControlSequence& s) {
  const int how = s.at(0, 0);
  switch (s.final) {
    case 'c':
      if (how == 0) reply(kDeviceAttributes);
      return;
    case 'g':
      if (how == 0) tabs_.reset(static_cast<size_t>(cursor_.col));
      if (how == 3) tabs_.reset();
      return;
    case 'h':
    case 'l':
      for (int i = 0; i < s.count; ++i) set_ansi_mode(s.at(i, 0), s.final == 'h');
      return;
    case 'n':
      if (how == 5) reply("\033[0n");
      if (how == 6) reply(cursor_report(""));
      return;
    case 'r':
      set_region(s);
      return;
    case 's':
      save_cursor();
      return;
    case 'u':
      restore_cursor();
      return;
    case 't':
      report_size(how);
      return;
  }
}

void Terminal::marked_sequence(const ControlSequence& s) {
  last_character_ = 0;
  if (s.prefix == '?' && s.intermediate == 0) {
    dec_private(s);
  } else {
    special_sequence(s);
  }
}

void Terminal::dec_private(const ControlSequence& s) {
  switch (s.final) {
    case 'h':
    case 'l':
      for (int i = 0; i < s.count; ++i) set_dec_mode(s.at(i, 0), s.final == 'h');
      return;
    case 'J':
      erase_in_display(s.at(0, 0));
      return;
    case 'K':
      erase_in_line<Portable>(s.at(0, 0));
      return;
    case 'n':
      if (s.at(0, 0) == 6) reply(cursor_report("?"));
      if (s.at(0, 0) == 996) reply(kDarkColorScheme);
      return;
    case 'u':
      reply(fmt::format("\033[?{}u", keyboard_flags().current()));
      return;
  }
}

// Handles sequences with another prefix than "?", or with an intermediate.
void Terminal::special_sequence(const ControlSequence& s) {
  const bool private_mode = s.prefix == '?';
  if (s.intermediate == 0) {
    if (s.prefix == '>' && s.final == 'c' && s.at(0, 0) == 0) reply(kSecondaryAttributes);
    if (s.prefix == '>' && s.final == 'q' && s.at(0, 0) == 0) reply(kVersion);
    if (s.final == 'u') change_keyboard(s);
    if (s.prefix == '>' && s.final == 'm') change_other_keys(s);
  } else if (s.intermediate == '$' && s.final == 'p' && (private_mode || s.prefix == 0)) {
    const int mode = s.at(0, 0);
    const int state = private_mode ? dec_mode_state(mode) : ansi_mode_state(mode);
    reply(fmt::format("\033[{}{};{}$y", private_mode ? "?" : "", mode, state));
  } else if (s.intermediate == '!' && s.final == 'p' && s.prefix == 0) {
    soft_reset();
  }
}

std::string Terminal::cursor_report(std::string_view prefix) const {
  const int top = modes_.origin ? region_.top : 0;
  return fmt::format("\033[{}{};{}R", prefix, cursor_.row - top + 1, cursor_.col + 1);
}

void Terminal::move_cols(int count) { move_to(cursor_.row, cursor_.col + count); }

void Terminal::reverse_line_feed() {
  cursor_.wrap_pending = false;
  if (cursor_.row == region_.top) {
    grid_->scroll_down(region_, 1, blank());
  } else if (cursor_.row > 0) {
    --cursor_.row;
  }
}

void Terminal::scroll_region_up(int count) {
  const int rows = std::min(count, region_.height());
  if (sink_ != nullptr && grid_ == &main_ && region_.top == 0) {
    for (int row = 0; row < rows; ++row) sink_->on_scrolled_off(*screen_, main_.view(row));
  }
  grid_->scroll_up(region_, rows, blank());
}

void Terminal::reset_tabs() {
  tabs_.reset();
  for (size_t col = kTabWidth; col < kMaxCols; col += kTabWidth) tabs_.set(col);
}

void Terminal::tab_forward(int count) {
  for (; count > 0 && cursor_.col < size_.cols - 1; --count) {
    do {
      ++cursor_.col;
    } while (cursor_.col < size_.cols - 1 && !tabs_.test(static_cast<size_t>(cursor_.col)));
  }
}

void Terminal::tab_back(int count) {
  cursor_.wrap_pending = false;
  for (; count > 0 && cursor_.col > 0; --count) {
    do {
      --cursor_.col;
    } while (cursor_.col > 0 && !tabs_.test(static_cast<size_t>(cursor_.col)));
  }
}

void Terminal::set_region(const ControlSequence& s) {
  const int top = s.at(0, 1) - 1;
  const int bottom = std::min(s.at(1, size_.rows), size_.rows);
  if (bottom - top < 2) return;
  region_ = {top, bottom};
  goto_row(0);
  cursor_.col = 0;
}

void Terminal::insert_lines(int count) {
  if (cursor_.row < region_.top || cursor_.row >= region_.bottom) return;
  const Region below{cursor_.row, region_.bottom};
  grid_->scroll_down(below, std::min(count, below.height()), blank());
  move_to(cursor_.row, 0);
}

void Terminal::delete_lines(int count) {
  if (cursor_.row < region_.top || cursor_.row >= region_.bottom) return;
  const Region below{cursor_.row, region_.bottom};
  grid_->scroll_up(below, std::min(count, below.height()), blank());
  move_to(cursor_.row, 0);
}

void Terminal::erase_in_display(int how) {
  switch (how) {
    case 0:
      erase_in_line<Portable>(0);
      grid_->erase_rows({cursor_.row + 1, size_.rows}, blank());
      return;
    case 1:
      grid_->erase_rows({0, cursor_.row}, blank());
      erase_in_line<Portable>(1);
      return;
    case 2:
      grid_->erase_rows({0, size_.rows}, blank());
      cursor_.wrap_pending = false;
      return;
    case 3:
      if (sink_ != nullptr) sink_->on_scrollback_cleared();
      return;
  }
}

}  // namespace orch::term
