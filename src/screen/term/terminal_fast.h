#pragma once

// The inline half of Terminal, through which nearly every byte of a real agent's output goes. It is
// included where the parser is compiled around it, and by the rest of Terminal.

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "term/fields.h"
#include "term/sgr.h"
#include "term/terminal.h"

namespace orch::term {

// Nearly all text ends before the last column, so it cannot wrap: a wrap can only be pending when
// the cursor is in the last column.
template <class Kernels>
inline void Terminal::ascii(Kernels, const char* at, size_t length) {
  choose_pen();
  const int col = cursor_.col, next = col + static_cast<int>(length);
  if (next >= straight_) [[unlikely]] {
    put_across<Kernels>(at, length);
    return;
  }
  const Grid::Line& line = grid_->prepare(cursor_.row, col, next);
  Kernels::write(at, length, pen_id_, line.codes + col, line.styles + col);
  last_character_ = static_cast<char32_t>(at[length - 1]);
  cursor_.col = next;
}

template <class Kernels>
[[gnu::noinline]] void Terminal::put_across(const char* at, size_t length) {
  if (detour_) {
    put_characters(at, at + length);
  } else {
    put_ascii<Kernels>(at, static_cast<int>(length));
  }
}

inline void Terminal::choose_pen() {
  if (!pen_changed_) return;
  pen_changed_ = false;
  last_character_ = 0;  // the text may be no more than a combining mark
  pen_id_ = id_of(cursor_.pen);
}

template <class Kernels>
inline void Terminal::put_ascii(const char* bytes, int count) {
  last_character_ = static_cast<char32_t>(bytes[count - 1]);
  while (true) {
    wrap_if_pending();
    const int col = cursor_.col;
    const int now = std::min(count, size_.cols - col);
    const Grid::Line& line = grid_->prepare(cursor_.row, col, col + now);
    Kernels::write(bytes, static_cast<size_t>(now), pen_id_, line.codes + col, line.styles + col);
    advance(now);
    if (now == count) return;
    bytes += now;
    count -= now;
  }
}

// The fast path is for U+2000 to U+2FFF, the characters that agents mostly draw with: three bytes,
// beginning with 0xE2.
template <class Kernels>
inline const char* Terminal::unicode(Kernels, const char* at, const char* end) {
  choose_pen();
  const uint64_t both = load_eight(at);
  const auto bytes = static_cast<uint32_t>(both);
  const char32_t code = 0x2000 | (bytes >> 2 & 0xFC0) | (bytes >> 16 & 0x3F);
  const int col = cursor_.col;
  if ((bytes & 0xC0C0FF) != 0x8080E2 || !widths_.is_plain(code) || col + 1 >= straight_ ||
      ((both ^ both >> 24) & 0xFFFFFF) == 0) {
    return put_unicode<Kernels>(at, end);
  }
  const Grid::Line& line = grid_->prepare(cursor_.row, col, col + 1);
  line.codes[col] = code;
  line.styles[col] = pen_id_;
  last_character_ = code;
  cursor_.col = col + 1;
  return at + 3;
}

// Writes all characters of two columns at `at`: CJK and emoji. The row is prepared once for all of
// them.
inline const char* Terminal::put_wide(const char* at) {
  const char* const begin = at;
  Grid::Line* line = nullptr;
  int col = cursor_.col;
  for (; col + 2 < straight_; col += 2) {
    const auto bytes = static_cast<uint32_t>(load_eight(at));
    char32_t code = (bytes & 0xF) << 12 | (bytes >> 2 & 0xFC0) | (bytes >> 16 & 0x3F);
    int length = 3;
    // Overlong forms and surrogates decode to U+FFFD, which is narrow: none of these codes is wide.
    if ((bytes & 0xC0C0F0) != 0x8080E0) {
      if ((bytes & 0xC0C0C0F8) != 0x808080F0) break;
      code =
          (bytes & 7) << 18 | (bytes << 4 & 0x3F000) | (bytes >> 10 & 0xFC0) | (bytes >> 24 & 0x3F);
      if (code < 0x10000 || is_skin_tone(code)) break;
      length = 4;
    }
    if (widths_.width(code) != 2) break;
    if (line == nullptr) {
      if (widths_.is_emoji(code) && may_join_left()) break;
      line = &grid_->prepare(cursor_.row, col, col + 2);
      line->wide = true;
    } else {
      Grid::split_wide_at(*line, col + 2);
    }
    const uint64_t cells = code | static_cast<uint64_t>(kWideTail) << 32;
    const uint32_t styles = pen_id_ | static_cast<uint32_t>(pen_id_) << 16;
    std::memcpy(line->codes + col, &cells, sizeof cells);
    std::memcpy(line->styles + col, &styles, sizeof styles);
    last_character_ = code;
    at += length;
  }
  if (at != begin) cursor_.col = col;
  return at;
}

// Whether joins_left() has to be asked about an emoji that is not a skin tone: behind a cluster.
inline bool Terminal::may_join_left() const {
  const int col = cursor_.col;
  const CellCode* codes = grid_->line(cursor_.row).codes;
  if (col >= 2 && codes[col - 1] == kWideTail) return codes[col - 2] >= kClusterBase;
  return col >= 1 && codes[col - 1] >= kClusterBase;
}

// The same as base::decode_utf8(), which is called for rare cases.
inline base::Decoded Terminal::decode(const char* at, const char* end) {
  const auto bytes = static_cast<uint32_t>(load_eight(at));
  if ((bytes & 0xC0E0) == 0x80C0 && end - at >= 2) {
    const char32_t code = (bytes & 0x1F) << 6 | (bytes >> 8 & 0x3F);
    if (code >= 0x80) return {code, 2};
  } else if ((bytes & 0xC0C0F0) == 0x8080E0 && end - at >= 3) {
    const char32_t code = (bytes & 0xF) << 12 | (bytes >> 2 & 0xFC0) | (bytes >> 16 & 0x3F);
    if (code >= 0x800 && (code & 0xF800) != 0xD800) return {code, 3};
  }
  return base::decode_utf8({at, end});
}

// A character of three bytes is often repeated, in rules and boxes.
template <class Kernels>
[[gnu::noinline]] const char* Terminal::put_unicode(const char* at, const char* end) {
  if (const char* const next = put_wide(at); next != at) return next;
  const base::Decoded decoded = decode(at, end);
  const bool three_bytes = decoded.length == 3 && static_cast<uint8_t>(*at) < 0xF0;
  if (!three_bytes || detour_ || !widths_.is_plain(decoded.code_point)) {
    put(decoded.code_point);
    return at + decoded.length;
  }
  const size_t count = 1 + Kernels::repeating(at + 3, end) / 3;
  put_repeated<Kernels>(decoded.code_point, static_cast<int>(count));
  return at + 3 * count;
}

template <class Kernels>
[[gnu::noinline]] void Terminal::put_repeated(CellCode code, int count) {
  last_character_ = code;
  while (true) {
    wrap_if_pending();
    const int col = cursor_.col;
    const int now = std::min(count, size_.cols - col);
    const Grid::Line& line = grid_->prepare(cursor_.row, col, col + now);
    Kernels::fill(code, static_cast<size_t>(now), pen_id_, line.codes + col, line.styles + col);
    advance(now);
    if (now == count) return;
    count -= now;
  }
}

// While autowrap is off, a wrap stays pending until autowrap is on again (as in xterm).
inline void Terminal::wrap_if_pending() {
  if (cursor_.wrap_pending && modes_.autowrap) wrap();
}

// Moves the cursor behind `width` columns that were written; from the last column a wrap is
// pending.
inline void Terminal::advance(int width) {
  cursor_.col += width;
  if (cursor_.col == size_.cols) {
    --cursor_.col;
    cursor_.wrap_pending = true;
    grid_->set_wrapped(cursor_.row, false);
  }
}

// Carries out the plain control sequences that are recognised by their bytes alone.
template <class Kernels>
inline bool Terminal::plain(Kernels kernels, const char* fields, size_t length) {
  const char final = fields[length];
  if (final == 'm') {
    pen_changed_ = true;
    if (length >= kMaxFieldBytes) [[unlikely]]
      return false;
    return sgr_cache_->apply(kernels, fields, length, cursor_.pen);
  }
  if (final == 'H') {
    if (modes_.origin || !Kernels::position(fields, length, last_, cursor_)) return false;
    cursor_.wrap_pending = false;
    last_character_ = 0;
    return true;
  }
  if (final == 'G') {
    const int column = read_field(fields, length);
    if (column < 0) return false;
    cursor_.col = std::min(std::max(column, 1) - 1, last_.col);
    cursor_.wrap_pending = false;
    last_character_ = 0;
    return true;
  }
  if (*fields == '?' && frame_mode(fields, length)) return true;
  return one_parameter<Kernels>(fields, length);
}

// Sets the two modes that every frame changes: the cursor's visibility and synchronized output.
inline bool Terminal::frame_mode(const char* fields, size_t length) {
  constexpr uint64_t kCursor = '?' | '2' << 8 | '5' << 16;
  constexpr uint64_t kSynchronized =
      '?' | '2' << 8 | '0' << 16 | '2' << 24 | static_cast<uint64_t>('6') << 32;
  const uint64_t bytes = load_eight(fields);
  const bool on = fields[length] == 'h';
  if (!on && fields[length] != 'l') return false;
  if (length == 3 && (bytes & 0xFFFFFF) == kCursor) {
    clock_ += modes_.cursor_visible != on;
    modes_.cursor_visible = on;
    last_character_ = 0;
    return true;
  }
  if (length == 5 && (bytes & 0xFFFFFFFFFF) == kSynchronized) {
    const bool ended = modes_.synchronized && !on;
    clock_ += modes_.synchronized != on;
    modes_.synchronized = on;
    last_character_ = 0;
    if (ended) end_frame();
    return true;
  }
  return false;
}

template <class Kernels>
inline bool Terminal::one_parameter(const char* fields, size_t length) {
  const int value = read_field(fields, length);
  if (value < 0) return false;
  const int n = std::max(value, 1);
  switch (fields[length]) {
    case 'A':
      move_rows(-n);
      break;
    case 'B':
      move_rows(n);
      break;
    case 'C':
      move_to(cursor_.row, cursor_.col + n);
      break;
    case 'D':
      move_to(cursor_.row, cursor_.col - n);
      break;
    case 'K':
      erase_in_line<Kernels>(value);
      break;
    default:
      return false;
  }
  last_character_ = 0;
  return true;
}

template <class Kernels>
inline void Terminal::erase_in_line(int how) {
  if (how > 2) return;
  const int from = how == 0 ? cursor_.col : 0;
  const int to = how == 1 ? cursor_.col + 1 : size_.cols;
  grid_->erase<Kernels>(cursor_.row, from, to, blank());
  if (from == 0 && cursor_.row > 0) grid_->set_wrapped(cursor_.row - 1, false);
  cursor_.wrap_pending = false;
}

inline void Terminal::plain_sequence(const ControlSequence& s) {
  common_sequence(s);
  last_character_ = 0;
}

inline void Terminal::common_sequence(const ControlSequence& s) {
  switch (s.final) {
    case 'm':
      apply_sgr(s, cursor_.pen);
      pen_changed_ = true;
      return;
    case 'G':
      move_to(cursor_.row, s.at(0, 1) - 1);
      return;
    case 'H':
      goto_row(s.at(0, 1) - 1);
      move_to(cursor_.row, s.at(1, 1) - 1);
      return;
    default:
      cursor_sequence(s);
      return;
  }
}

inline void Terminal::move_to(int row, int col) {
  cursor_.row = std::max(std::min(row, size_.rows - 1), 0);
  cursor_.col = std::max(std::min(col, size_.cols - 1), 0);
  cursor_.wrap_pending = false;
}

// A cursor within the scrolling region stops at its edges.
inline void Terminal::move_rows(int count) {
  const int top = cursor_.row >= region_.top ? region_.top : 0;
  const int bottom = cursor_.row < region_.bottom ? region_.bottom : size_.rows;
  cursor_.row = std::max(std::min(cursor_.row + count, bottom - 1), top);
  cursor_.wrap_pending = false;
}

inline void Terminal::line_feed() {
  cursor_.wrap_pending = false;
  if (cursor_.row == region_.bottom - 1) {
    scroll_region_up(1);
  } else if (cursor_.row < size_.rows - 1) {
    ++cursor_.row;
  }
}

inline void Terminal::control(uint8_t c0) {
  last_character_ = 0;
  if (c0 == '\r') {
    cursor_.col = 0;
    cursor_.wrap_pending = false;
  } else if (c0 == '\n') {
    line_feed();
    if (newline_) cursor_.col = 0;
  } else {
    other_control(c0);
  }
}

// Rows are counted from 0; in origin mode from the top of the region, and the cursor stays within
// it.
inline void Terminal::goto_row(int row) {
  const Region range = modes_.origin ? region_ : Region{0, size_.rows};
  move_to(std::min(range.top + row, range.bottom - 1), cursor_.col);
}

}  // namespace orch::term
