// Modes, the two screens, saved cursors, the kitty keyboard, resets.

#include <algorithm>
#include <array>

#include "term/terminal_fast.h"

namespace orch::term {
namespace {

// DECRQM's answers (VT510 programmer reference, DECRPM).
enum ModeState { kUnknown = 0, kSet = 1, kReset = 2, kAlwaysSet = 3, kAlwaysReset = 4 };

uint16_t mouse_bit(int mode) {
  switch (mode) {
    case 1000:
      return 1;
    case 1002:
      return 2;
    case 1003:
      return 4;
    case 1006:
      return 8;
  }
  return 0;
}

bool is_screen_mode(int mode) { return mode == 47 || mode == 1047 || mode == 1049; }

}  // namespace

// The flag of a mode that is only a flag; nullptr for other modes.
bool* Terminal::dec_flag(int mode) {
  switch (mode) {
    case 1:
      return &modes_.application_cursor;
    case 6:
      return &modes_.origin;
    case 7:
      return &modes_.autowrap;
    case 25:
      return &modes_.cursor_visible;
    case 66:
      return &modes_.application_keypad;
    case 1004:
      return &modes_.focus_reports;
    case 2004:
      return &modes_.bracketed_paste;
    case 2026:
      return &modes_.synchronized;
    case 2027:
      return &modes_.grapheme_clusters;
    case 2031:
      return &modes_.color_scheme_reports;
  }
  return nullptr;
}

bool* Terminal::ansi_flag(int mode) {
  switch (mode) {
    case 4:
      return &modes_.insert;
    case 20:
      return &newline_;
  }
  return nullptr;
}

void Terminal::set_ansi_mode(int mode, bool on) {
  bool* flag = ansi_flag(mode);
  if (flag == nullptr || *flag == on) return;
  *flag = on;
  update_detour();
}

void Terminal::end_frame() {
  ++synchronized_frames_;
  if (sink_ != nullptr) sink_->on_frame_ended(*screen_);
}

void Terminal::set_dec_mode(int mode, bool on) {
  const bool frame_ended = mode == 2026 && modes_.synchronized && !on;
  if (bool* flag = dec_flag(mode)) {
    *flag = on;
    if (frame_ended) end_frame();
    if (mode != 6) return;
  }
  if (const uint16_t bit = mouse_bit(mode)) {
    modes_.mouse = static_cast<uint16_t>(on ? modes_.mouse | bit : modes_.mouse & ~bit);
  }
  if (mode == 6) {
    goto_row(0);
    cursor_.col = 0;
  }
  if (mode == 1048) on ? save_cursor() : restore_cursor();
  if (is_screen_mode(mode)) set_screen_mode(mode, on);
}

// 47 only switches the screen; 1047 clears the alternate screen before it leaves it; 1049 saves the
// cursor, switches and clears, and restores the cursor on the way back (as xterm does, whichever
// screen is shown).
void Terminal::set_screen_mode(int mode, bool on) {
  if (mode == 1049 && on) save_cursor();
  if (mode == 1047 && !on && modes_.alternate) erase_in_display(2);
  if (on != modes_.alternate) show_alternate(on);
  if (mode == 1049 && on) erase_in_display(2);
  if (mode == 1049 && !on) restore_cursor();
}

void Terminal::show_alternate(bool on) {
  if (on && alternate_ == nullptr) alternate_ = std::make_unique<Grid>(size_, clock_);
  grid_ = on ? alternate_.get() : &main_;
  modes_.alternate = on;
  modes_.kitty_keyboard = keyboard_flags().current();
}

int Terminal::dec_mode_state(int mode) {
  if (const bool* flag = dec_flag(mode)) return *flag ? kSet : kReset;
  if (const uint16_t bit = mouse_bit(mode)) return (modes_.mouse & bit) != 0 ? kSet : kReset;
  if (is_screen_mode(mode)) return modes_.alternate ? kSet : kReset;
  switch (mode) {
    case 8:
      return kAlwaysSet;  // keys repeat
    case 3:
    case 1005:
    case 1015:
    case 1016:
      return kAlwaysReset;
  }
  return kUnknown;
}

int Terminal::ansi_mode_state(int mode) {
  if (const bool* flag = ansi_flag(mode)) return *flag ? kSet : kReset;
  // Modes of ECMA-48 that xterm never sets: GATM, SRTM, VEM, HEM, PUM, FEAM and those after it.
  constexpr std::array kNeverSet{1, 5, 7, 10, 11, 13, 14, 15, 16, 17, 18, 19};
  const bool known = std::find(kNeverSet.begin(), kNeverSet.end(), mode) != kNeverSet.end();
  return known ? kAlwaysReset : kUnknown;
}

void Terminal::save_cursor() { saved_[modes_.alternate] = {cursor_, modes_.origin}; }

// If no cursor was saved: home position, default pen and character sets. In origin mode the cursor
// stays within the margins, which may have changed since (as in xterm).
void Terminal::restore_cursor() {
  const SavedCursor& saved = saved_[modes_.alternate];
  cursor_ = saved.cursor;
  modes_.origin = saved.origin;
  const Region range = modes_.origin ? region_ : Region{0, size_.rows};
  const int row = std::clamp(cursor_.row, range.top, range.bottom - 1);
  if (row != cursor_.row) move_to(row, cursor_.col);
  pen_changed_ = true;
  update_detour();
}

void Terminal::change_keyboard(const ControlSequence& s) {
  KeyboardFlags& flags = keyboard_flags();
  if (s.prefix == '>') flags.push(s.at(0, 0));
  if (s.prefix == '<') flags.pop(s.at(0, 1));
  if (s.prefix == '=') flags.set(s.at(0, 0), s.at(1, 1));
  modes_.kitty_keyboard = flags.current();
}

// XTMODKEYS. Only its resource modifyOtherKeys (4) is kept.
void Terminal::change_other_keys(const ControlSequence& s) {
  if (s.count == 0 || s.at(0, 0) == 4) {
    modes_.modify_other_keys = static_cast<uint8_t>(std::min(s.at(1, 0), 2));
  }
}

// DECSTR (VT510 programmer reference, with autowrap left on as xterm does).
void Terminal::soft_reset() {
  const Modes defaults;
  modes_.cursor_visible = defaults.cursor_visible;
  modes_.autowrap = defaults.autowrap;
  modes_.origin = defaults.origin;
  modes_.insert = defaults.insert;
  modes_.application_cursor = defaults.application_cursor;
  modes_.application_keypad = defaults.application_keypad;
  region_ = {0, size_.rows};
  cursor_.pen = {};
  cursor_.charsets = {};
  cursor_.shift = 0;
  saved_[modes_.alternate] = {};
  pen_changed_ = true;
  update_detour();
}

void Terminal::reset() {
  cursor_ = {};
  modes_ = {};
  newline_ = false;
  region_ = {0, size_.rows};
  for (SavedCursor& saved : saved_) saved = {};
  for (KeyboardFlags& flags : keyboards_) flags = {};
  reset_tabs();
  announcements_.reset();
  pen_changed_ = true;
  update_detour();
  grid_ = &main_;
  alternate_.reset();
  main_.erase_rows({0, size_.rows}, 0);
  if (sink_ != nullptr) sink_->on_scrollback_cleared();
}

}  // namespace orch::term
