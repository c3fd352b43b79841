#include "base/text.h"

#include <algorithm>
#include <cstdint>

#include "base/invisible.h"

namespace orch::base {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// For a lead byte, how many bytes its character has, and the range of the first continuation byte
// (Unicode 15, table 3-7: well-formed UTF-8 byte sequences). length 0: it is not a lead byte.
struct Lead {
  size_t length;
  uint8_t low, high;
};
Lead lead_of(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// How many of the first bytes are a prefix of one well-formed character of lead.length bytes.
size_t well_formed_prefix(std::string_view bytes, const Lead& lead) {
  size_t n = 1;
  while (n < lead.length && n < bytes.size()) {
    const auto byte = static_cast<uint8_t>(bytes[n]);
    const uint8_t low = n == 1 ? lead.low : 0x80;
    const uint8_t high = n == 1 ? lead.high : 0xBF;
    if (byte < low || byte > high) break;
    ++n;
  }
  return n;
}

// How many of the first bytes are printable ASCII.
size_t plain_prefix(std::string_view text) {
  const auto end =
      std::find_if_not(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return static_cast<size_t>(end - text.begin());
}

}  // namespace

Decoded decode_utf8(std::string_view bytes) {
  const auto first = static_cast<uint8_t>(bytes.front());
  const Lead lead = lead_of(first);
  if (lead.length == 0) return {kReplacement, 1};
  if (lead.length == 1) return {first, 1};
  const size_t n = well_formed_prefix(bytes, lead);
  if (n < lead.length) return {kReplacement, n};
  char32_t code_point = first & (0xFFU >> (lead.length + 1));
  for (size_t i = 1; i < lead.length; ++i) {
    code_point = (code_point << 6) | (static_cast<uint8_t>(bytes[i]) & 0x3FU);
  }
  return {code_point, lead.length};
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::optional<size_t> invalid_utf8_at(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const Lead lead = lead_of(static_cast<uint8_t>(text[i]));
    if (lead.length == 0 || well_formed_prefix(text.substr(i), lead) < lead.length) return i;
    i += lead.length;
  }
  return std::nullopt;
}

size_t incomplete_utf8_tail(std::string_view bytes) {
  for (size_t n = 1; n <= 3 && n <= bytes.size(); ++n) {
    const std::string_view tail = bytes.substr(bytes.size() - n);
    const auto first = static_cast<uint8_t>(tail.front());
    if ((first & 0xC0U) == 0x80U) continue;  // a continuation byte: its lead byte is before it
    const Lead lead = lead_of(first);
    return lead.length > n && well_formed_prefix(tail, lead) == n ? n : 0;
  }
  return 0;
}

std::string_view beginning(std::string_view text, size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  text = text.substr(0, most_bytes);
  text.remove_suffix(incomplete_utf8_tail(text));
  return text;
}

std::string to_valid_utf8(std::string_view text, size_t* replaced) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t bad = invalid_utf8_at(text).value_or(text.size());
    out.append(text.substr(0, bad));
    text.remove_prefix(bad);
    if (text.empty()) break;
    append_utf8(out, kReplacement);
    if (replaced != nullptr) ++*replaced;
    text.remove_prefix(decode_utf8(text).length);
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  char32_t before = 0;
  while (!text.empty()) {
    const size_t plain = plain_prefix(text);
    out.append(text.substr(0, plain));
    if (plain > 0) before = static_cast<unsigned char>(text[plain - 1]);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Decoded c = decode_utf8(text);
    text.remove_prefix(c.length);
    const bool control = (c.code_point < 0x20 && c.code_point != '\t') ||
                         (c.code_point >= 0x7F && c.code_point < 0xA0);
    const auto after = [&text] { return text.empty() ? 0 : decode_utf8(text).code_point; };
    if (is_invisible(c.code_point) && !shapes_its_neighbours(before, c.code_point, after())) {
      append_escape(out, c.code_point);
    } else {
      append_utf8(out, control ? kReplacement : c.code_point);
    }
    before = c.code_point;
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += printable(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty()) break;
    out += '\n';
    text.remove_prefix(1);
  }
  return out;
}

std::string_view take_until(std::string_view& rest, char separator) {
  const std::string_view taken = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(taken.size() + 1, rest.size()));
  return taken;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) parts.push_back(take_until(text, separator));
  return parts;
}

std::vector<std::string_view> split_lines(std::string_view text) { return split(text, '\n'); }

std::vector<std::string_view> split_at_blanks(std::string_view words) { return split(words, ' '); }

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

namespace {

// Whether XML 1.0 allows the character (its production 2); surrogates do not count as characters.
bool is_xml(char32_t c) {
  if (c < U' ') return c == U'\t' || c == U'\n' || c == U'\r';
  return c != 0xFFFE && c != 0xFFFF;
}

void append_entity(std::string& out, std::string_view character, char32_t code_point) {
  switch (code_point) {
    case U'<':
      out += "&lt;";
      break;
    case U'>':
      out += "&gt;";
      break;
    case U'&':
      out += "&amp;";
      break;
    case U'"':
      out += "&quot;";
      break;
    case U'\'':
      out += "&#39;";
      break;
    default:
      if (is_xml(code_point) && code_point != 0xFFFD) {
        out += character;
      } else {
        out += "\xEF\xBF\xBD";
      }
  }
}

}  // namespace

void append_entities(std::string& out, std::string_view text) {
  const auto is_plain = [](char c) {  // printable ASCII except markup
    return c >= ' ' && c < 0x7F && c != '<' && c != '>' && c != '&' && c != '"' && c != '\'';
  };
  while (!text.empty()) {
    const auto plain = std::find_if_not(text.begin(), text.end(), is_plain) - text.begin();
    out += text.substr(0, static_cast<size_t>(plain));
    text.remove_prefix(static_cast<size_t>(plain));
    if (text.empty()) return;
    const Decoded next = decode_utf8(text);
    append_entity(out, text.substr(0, next.length), next.code_point);
    text.remove_prefix(next.length);
  }
}

}  // namespace orch::base
