#include "term/sgr.h"

#include <algorithm>

namespace orch::term {
namespace {

uint8_t channel(int value) { return static_cast<uint8_t>(std::min(value, 255)); }

Color indexed(int index) { return {Color::Kind::kIndexed, channel(index), 0, 0}; }

// How many subparameters follow parameter i.
int subs_after(const ControlSequence& s, int i) {
  int n = 0;
  while (s.is_sub(i + 1 + n)) ++n;
  return n;
}

int value(const ControlSequence& s, int i) { return s.at(i, 0); }

// 38, 48 and 58 at parameter i: the colour, when it is well formed, and the last parameter it took.
struct ExtendedColor {
  bool valid = false;
  Color color;
  int last = 0;
};
ExtendedColor read_extended(const ControlSequence& s, int i) {
  const int subs = subs_after(s, i);
  const int kind = value(s, i + 1);
  const int available = subs > 0 ? subs : s.count - 1 - i;
  // With colons a colour space may stand between the kind and red.
  const int first = i + 2 + (subs >= 5 && kind == 2 ? 1 : 0);
  const auto last_of = [&](int taken) {
    return subs > 0 ? i + subs : i + std::min(taken, available);
  };
  if (kind == 5) return {available >= 2, indexed(value(s, i + 2)), last_of(2)};
  if (kind == 2) {
    return {available >= 4,
            {Color::Kind::kRgb, channel(value(s, first)), channel(value(s, first + 1)),
             channel(value(s, first + 2))},
            last_of(4)};
  }
  return {false, {}, last_of(1)};
}

void set(Style& style, unsigned attributes) {
  style.attributes = static_cast<uint16_t>(style.attributes | attributes);
}
void clear(Style& style, unsigned attributes) {
  style.attributes = static_cast<uint16_t>(style.attributes & ~attributes);
}

void apply_simple(int code, Style& style) {
  switch (code) {
    case 0:
      style = {};
      return;
    case 1:
      set(style, kBold);
      return;
    case 2:
      set(style, kFaint);
      return;
    case 3:
      set(style, kItalic);
      return;
    case 4:
    case 21:
      set(style, kUnderline);
      return;
    case 5:
    case 6:
      set(style, kBlink);
      return;
    case 7:
      set(style, kInverse);
      return;
    case 8:
      set(style, kHidden);
      return;
    case 9:
      set(style, kStrike);
      return;
    case 22:
      clear(style, kBold | kFaint);
      return;
    case 23:
      clear(style, kItalic);
      return;
    case 24:
      clear(style, kUnderline);
      return;
    case 25:
      clear(style, kBlink);
      return;
    case 27:
      clear(style, kInverse);
      return;
    case 28:
      clear(style, kHidden);
      return;
    case 29:
      clear(style, kStrike);
      return;
    case 39:
      style.fg = {};
      return;
    case 49:
      style.bg = {};
      return;
  }
  if (code >= 30 && code <= 37) style.fg = indexed(code - 30);
  if (code >= 40 && code <= 47) style.bg = indexed(code - 40);
  if (code >= 90 && code <= 97) style.fg = indexed(code - 90 + 8);
  if (code >= 100 && code <= 107) style.bg = indexed(code - 100 + 8);
}

}  // namespace

void apply_sgr(const ControlSequence& sequence, Style& style) {
  if (sequence.count == 0) style = {};
  for (int i = 0; i < sequence.count; ++i) {
    const int code = value(sequence, i);
    if (code == 38 || code == 48 || code == 58) {
      const ExtendedColor extended = read_extended(sequence, i);
      if (extended.valid && code == 38) style.fg = extended.color;
      if (extended.valid && code == 48) style.bg = extended.color;
      i = extended.last;
    } else if (sequence.is_sub(i + 1)) {
      if (code == 4) apply_simple(value(sequence, i + 1) == 0 ? 24 : 4, style);
      i += subs_after(sequence, i);
    } else {
      apply_simple(code, style);
    }
  }
}

}  // namespace orch::term
