#pragma once

// The inline half of Terminal: what nearly every byte of a real agent's output goes through.
// Included where the parser is compiled around it, and by the rest of Terminal.

#include <algorithm>

#include "term/scan.h"
#include "term/sgr.h"
#include "term/terminal.h"

namespace orch::term {

#if defined(__SSE2__)

// The first `count` (at most 8) of 8 ASCII bytes into cells; the cells after them keep what they
// have. Eight cells are read and written whatever the count: rows have that much padding.
inline void write_eight(const char* bytes, int count, StyleId style, CellCode* codes,
                        StyleId* styles) {
  const auto blend = [](void* cells, __m128i mask, __m128i fresh) {
    auto* const to = static_cast<__m128i*>(cells);
    const __m128i kept = _mm_andnot_si128(mask, _mm_loadu_si128(to));
    _mm_storeu_si128(to, _mm_or_si128(kept, _mm_and_si128(mask, fresh)));
  };
  const __m128i zero = _mm_setzero_si128();
  const __m128i wide =
      _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)), zero);
  const __m128i mask = _mm_cmpgt_epi16(_mm_set1_epi16(static_cast<int16_t>(count)),
                                       _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7));
  blend(styles, mask, _mm_set1_epi16(static_cast<int16_t>(style)));
  blend(codes, _mm_unpacklo_epi16(mask, mask), _mm_unpacklo_epi16(wide, zero));
  blend(codes + 4, _mm_unpackhi_epi16(mask, mask), _mm_unpackhi_epi16(wide, zero));
}

inline void write_ascii(const char* bytes, const char* readable_end, int count, StyleId style,
                        CellCode* codes, StyleId* styles) {
  int done = 0;
  while (done < count && readable_end - bytes >= done + 8) {
    write_eight(bytes + done, std::min(count - done, 8), style, codes + done, styles + done);
    done += 8;
  }
  for (; done < count; ++done) {
    codes[done] = static_cast<unsigned char>(bytes[done]);
    styles[done] = style;
  }
}

#else

inline void write_ascii(const char* bytes, const char*, int count, StyleId style, CellCode* codes,
                        StyleId* styles) {
  for (int i = 0; i < count; ++i) codes[i] = static_cast<CellCode>(bytes[i]);
  std::fill_n(styles, count, style);
}

#endif

inline const char* Terminal::text(const char* at, const char* end) {
  if (pen_changed_) choose_pen();
  if (modes_.insert || cursor_.charsets[cursor_.shift] != Charset::kAscii) {
    return put_characters(at, end);
  }
  do {
    const size_t ascii = scan_ascii(at, end);
    if (ascii != 0) {
      put_ascii(at, static_cast<int>(ascii), end);
      at += ascii;
    } else {
      at = put_unicode(at, end);
    }
  } while (at != end && static_cast<uint8_t>(*at) >= 0x20 && *at != 0x7F);
  return at;
}

// Printable ASCII; `readable_end` tells how far the bytes behind it may be read.
inline void Terminal::put_ascii(const char* bytes, int count, const char* readable_end) {
  last_character_ = static_cast<char32_t>(bytes[count - 1]);
  while (true) {
    if (cursor_.wrap_pending) wrap();
    const int row = cursor_.row, col = cursor_.col;
    const int now = std::min(count, size_.cols - col);
    grid_->prepare(row, col, col + now);
    write_ascii(bytes, readable_end, now, pen_id_, grid_->codes(row) + col,
                grid_->styles(row) + col);
    advance(now);
    if (now == count) return;
    bytes += now;
    count -= now;
  }
}

// The cursor after `width` columns were written, at the last column waiting to wrap.
inline void Terminal::advance(int width) {
  cursor_.col += width;
  if (cursor_.col == size_.cols) {
    --cursor_.col;
    cursor_.wrap_pending = modes_.autowrap;
    grid_->set_wrapped(cursor_.row, false);
  }
}

inline bool Terminal::style(const char* fields, int length) {
  pen_changed_ = true;
  return sgr_cache_.apply(fields, length, cursor_.pen);
}

inline void Terminal::plain_sequence(const ControlSequence& s) {
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
  cursor_.row = std::clamp(row, 0, size_.rows - 1);
  cursor_.col = std::clamp(col, 0, size_.cols - 1);
  cursor_.wrap_pending = false;
}

// From 0; in origin mode counted from the region's top and kept within it.
inline void Terminal::goto_row(int row) {
  const Region range = modes_.origin ? region_ : Region{0, size_.rows};
  move_to(std::min(range.top + row, range.bottom - 1), cursor_.col);
}

}  // namespace orch::term
