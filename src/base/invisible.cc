#include "base/invisible.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"

namespace orch::base {
namespace {

struct Range {
  char32_t first, last;
};

constexpr std::array kInvisible{
    Range{0x00AD, 0x00AD},   Range{0x034F, 0x034F},   Range{0x061C, 0x061C},
    Range{0x115F, 0x1160},   Range{0x17B4, 0x17B5},   Range{0x180B, 0x180F},
    Range{0x200B, 0x200F},   Range{0x2028, 0x202E},   Range{0x2060, 0x206F},
    Range{0x3164, 0x3164},   Range{0xFE00, 0xFE0F},   Range{0xFEFF, 0xFEFF},
    Range{0xFFA0, 0xFFA0},   Range{0xFFF0, 0xFFFB},   Range{0x1BCA0, 0x1BCA3},
    Range{0x1D173, 0x1D17A}, Range{0xE0000, 0xE0FFF},
};

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr char32_t kNonJoiner = 0x200C, kJoiner = 0x200D;

template <size_t N>
bool in(const std::array<Range, N>& ranges, char32_t c) {
  const auto range =
      std::lower_bound(ranges.begin(), ranges.end(), c,
                       [](const Range& r, char32_t value) { return r.last < value; });
  return range != ranges.end() && range->first <= c;
}

// The scripts that need joiners: Arabic, Syriac, those of India and South-East Asia, Mongolian.
bool joins_letters(char32_t c) {
  constexpr std::array kScripts{Range{0x0620, 0x0DFF}, Range{0x0F00, 0x109F}, Range{0x1780, 0x18AF},
                                Range{0xA800, 0xABFF}, Range{0x11000, 0x11FFF}};
  return in(kScripts, c) && !is_invisible(c);
}

bool is_pictograph(char32_t c) {
  return (c >= 0x2190 && c <= 0x2BFF) || (c >= 0x1F000 && c <= 0x1FAFF);
}

bool is_ideograph(char32_t c) {
  return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

bool is_selector(char32_t c) { return c >= 0xFE00 && c <= 0xFE0F; }

void append_json_escape(std::string& out, char32_t c) {
  const auto unit = [&out](char32_t value) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(value >> shift) & 0xF];
  };
  if (c < 0x10000) return unit(c);
  unit(0xD800 + ((c - 0x10000) >> 10));
  unit(0xDC00 + ((c - 0x10000) & 0x3FF));
}

// Whether these two bytes of UTF-8 may begin an invisible character or a C1 control. Most
// characters that agents draw do not: box drawing, bullets, CJK.
bool is_suspect(uint8_t lead, uint8_t second) {
  switch (lead) {
    case 0xC2:
      return second < 0xA0 || second == 0xAD;
    case 0xCD:
    case 0xD8:
    case 0xE1:
    case 0xEF:
    case 0xF3:
      return true;
    case 0xE2:
      return second == 0x80 || second == 0x81;
    case 0xE3:
      return second == 0x85;
    case 0xF0:
      return second == 0x9B || second == 0x9D;
    default:
      return false;
  }
}

// The offset of the first byte that may begin something to escape in JSON.
size_t next_suspect(std::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte == 0x7F || (byte == '#' && text.substr(i, 3) == "##[")) return i;
    if (byte < 0xC2 || i + 1 == text.size()) continue;
    if (is_suspect(byte, static_cast<uint8_t>(text[i + 1]))) return i;
  }
  return text.size();
}

}  // namespace

bool is_invisible(char32_t code_point) {
  return code_point >= kInvisible.front().first && in(kInvisible, code_point);
}

bool shapes_its_neighbours(char32_t before, char32_t invisible, char32_t after) {
  if (invisible == kJoiner && is_pictograph(after) && (is_pictograph(before) || before == 0xFE0F)) {
    return true;
  }
  if (invisible == kJoiner || invisible == kNonJoiner) {
    return joins_letters(before) && (joins_letters(after) || after == ' ' || after == 0);
  }
  if (is_selector(invisible)) return before > ' ' && !is_invisible(before);
  return invisible >= 0xE0100 && invisible <= 0xE01EF && is_ideograph(before);
}

std::string without_invisible(std::string_view text) {
  std::string out;
  for (char32_t before = 0; !text.empty();) {
    const Decoded c = decode_utf8(text);
    text.remove_prefix(c.length);
    const char32_t after = text.empty() ? 0 : decode_utf8(text).code_point;
    if (!is_invisible(c.code_point) || shapes_its_neighbours(before, c.code_point, after)) {
      append_utf8(out, c.code_point);
    }
    before = c.code_point;
  }
  return out;
}

void append_escape(std::string& out, char32_t code_point) {
  out += "\\u{";
  int shift = 20;
  while (shift > 0 && (code_point >> shift) == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) out += kDigits[(code_point >> shift) & 0xF];
  out += '}';
}

std::string with_visible_json(std::string json) {
  size_t at = next_suspect(json, 0);
  if (at == json.size()) return json;
  std::string out;
  out.reserve(json.size() + 16);
  for (size_t done = 0;;) {
    out.append(json, done, at - done);
    if (at == json.size()) return out;
    const std::string_view rest = std::string_view(json).substr(at);
    const Decoded c = decode_utf8(rest);
    if (c.code_point == '#') {
      out += "#\\u0023";
      done = at + 2;
    } else {
      const bool control = c.code_point >= 0x7F && c.code_point < 0xA0;
      if (control || is_invisible(c.code_point)) {
        append_json_escape(out, c.code_point);
      } else {
        out.append(rest.substr(0, c.length));
      }
      done = at + c.length;
    }
    at = next_suspect(json, done);
  }
}

}  // namespace orch::base
