#include "term/sgr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace orch::term {
namespace {

constexpr uint32_t color_word(Color::Kind kind, int r, int g, int b) {
  const auto channel = [](int value) { return static_cast<uint8_t>(std::min(value, 255)); };
  return std::bit_cast<uint32_t>(Color{kind, channel(r), channel(g), channel(b)});
}
constexpr uint32_t indexed(int index) { return color_word(Color::Kind::kIndexed, index, 0, 0); }

// The effect of one plain parameter: in each word of the pen some bits are kept, and others are
// set.
struct Change {
  Pen keep{~0U, ~0U, ~0U};
  Pen set;
};

constexpr int kChanges = 128;

constexpr std::array<Change, kChanges> build_changes() {
  std::array<Change, kChanges> changes{};
  const auto on = [&](size_t code, uint32_t attributes) {
    changes[code].set.attributes = attributes;
  };
  const auto off = [&](size_t code, uint32_t attributes) {
    changes[code].keep.attributes = ~attributes;
  };
  const auto fg = [&](size_t code, uint32_t color) {
    changes[code].keep.fg = 0;
    changes[code].set.fg = color;
  };
  const auto bg = [&](size_t code, uint32_t color) {
    changes[code].keep.bg = 0;
    changes[code].set.bg = color;
  };
  changes[0].keep = {0, 0, 0};
  constexpr std::array<uint32_t, 10> kOn = {0,      kBold,  kFaint,   kItalic, kUnderline,
                                            kBlink, kBlink, kInverse, kHidden, kStrike};
  for (size_t code = 1; code < kOn.size(); ++code) on(code, kOn[code]);
  on(21, kUnderline);
  off(22, kBold | kFaint);
  off(23, kItalic);
  off(24, kUnderline);
  off(25, kBlink);
  off(27, kInverse);
  off(28, kHidden);
  off(29, kStrike);
  for (int i = 0; i < 8; ++i) {
    const auto code = static_cast<size_t>(i);
    fg(30 + code, indexed(i));
    bg(40 + code, indexed(i));
    fg(90 + code, indexed(8 + i));
    bg(100 + code, indexed(8 + i));
  }
  fg(39, 0);
  bg(49, 0);
  return changes;
}

constexpr std::array<Change, kChanges> kChangeOf = build_changes();

void apply(const Change& change, Pen& pen) {
  pen.fg = (pen.fg & change.keep.fg) | change.set.fg;
  pen.bg = (pen.bg & change.keep.bg) | change.set.bg;
  pen.attributes = (pen.attributes & change.keep.attributes) | change.set.attributes;
}

// How many subparameters parameter i has.
int subs_after(const ControlSequence& s, int i) {
  int n = 0;
  while (s.is_sub(i + 1 + n)) ++n;
  return n;
}

// Handles 38, 48 and 58 at parameter i: sets the colour in `pen` if it is well formed, and returns
// the index of the last parameter that belongs to it.
int apply_extended(const ControlSequence& s, int i, Pen& pen) {
  const auto value = [&s](int at) { return s.at(at, 0); };
  const int subs = s.colons == 0 ? 0 : subs_after(s, i);
  const int available = subs > 0 ? subs : s.count - 1 - i;
  const int kind = value(i + 1);
  const int needed = kind == 2 ? 4 : kind == 5 ? 2 : 1;
  const int last = i + (subs > 0 ? subs : std::min(needed, available));
  if (needed == 1 || available < needed) return last;
  // In the form with colons a colour space may stand between the kind and red.
  const int first = i + 2 + (subs >= 5 && kind == 2 ? 1 : 0);
  const uint32_t color =
      kind == 5 ? indexed(value(first))
                : color_word(Color::Kind::kRgb, value(first), value(first + 1), value(first + 2));
  if (value(i) == 38) pen.fg = color;
  if (value(i) == 48) pen.bg = color;
  return last;
}

struct AttributeCode {
  Attribute attribute;
  int sgr;
};
constexpr std::array kAttributeCodes = {AttributeCode{kBold, 1},   AttributeCode{kFaint, 2},
                                        AttributeCode{kItalic, 3}, AttributeCode{kUnderline, 4},
                                        AttributeCode{kBlink, 5},  AttributeCode{kInverse, 7},
                                        AttributeCode{kHidden, 8}, AttributeCode{kStrike, 9}};

void append_color(const Color& color, int base, std::string& out) {
  const auto to = std::back_inserter(out);
  switch (color.kind) {
    case Color::Kind::kDefault:
      return;
    case Color::Kind::kIndexed:
      fmt::format_to(to, ";{};5;{}", base, color.r);
      return;
    case Color::Kind::kRgb:
      fmt::format_to(to, ";{};2;{};{};{}", base, color.r, color.g, color.b);
      return;
  }
}

}  // namespace

void apply_sgr(const ControlSequence& sequence, Pen& pen) {
  if (sequence.count == 0) pen = {};
  Pen changed = pen;
  for (int i = 0; i < sequence.count; ++i) {
    const int code = sequence.params[static_cast<size_t>(i)];
    if (code == 38 || code == 48 || code == 58) {
      i = apply_extended(sequence, i, changed);
    } else if (sequence.is_sub(i + 1)) {
      if (code == 4) {
        apply(kChangeOf[sequence.at(i + 1, 0) == 0 ? 24 : 4], changed);
      }
      i += subs_after(sequence, i);
    } else if (code < kChanges) {
      apply(kChangeOf[static_cast<size_t>(code)], changed);
    }
  }
  pen = changed;
}

void append_sgr(const Style& style, std::string& out) {
  out += "\033[0";
  for (const AttributeCode& code : kAttributeCodes) {
    if ((style.attributes & code.attribute) != 0) {
      fmt::format_to(std::back_inserter(out), ";{}", code.sgr);
    }
  }
  append_color(style.fg, 38, out);
  append_color(style.bg, 48, out);
  out += 'm';
}

}  // namespace orch::term
