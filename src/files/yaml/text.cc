#include "yaml/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/invisible.h"
#include "base/json.h"
#include "base/text.h"

namespace orch::yaml {
namespace {

using base::Json;

constexpr size_t kStep = 2;  // spaces for each level

bool is_plain(std::string_view text) {
  constexpr std::array<std::string_view, 8> kWords{"true", "false", "null", "yes",
                                                   "no",   "on",    "off",  "nan"};
  constexpr size_t kLongest = 64;
  if (text.size() < 2 || text.size() > kLongest || !base::is_letter(text.front())) return false;
  std::string small;
  for (const char c : text) {
    if (!base::is_letter_or_digit(c) && c != '_' && c != '-') return false;
    small += base::lower(c);
  }
  return std::find(kWords.begin(), kWords.end(), small) == kWords.end();
}

// Whether a reader would not see this character, or would mistake it for another.
bool needs_escape(char32_t c, char32_t before, char32_t after) {
  if (c == '\n' || c == '\t') return false;
  if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF) return true;
  return base::is_invisible(c) && !base::shapes_its_neighbours(before, c, after);
}

// Calls `fn` with each character and its neighbours, until it returns false.
template <typename Fn>
bool each_character(std::string_view text, Fn fn) {
  char32_t before = 0;
  while (!text.empty()) {
    const base::Decoded c = base::decode_utf8(text);
    text.remove_prefix(c.length);
    const char32_t after = text.empty() ? 0 : base::decode_utf8(text).code_point;
    if (!fn(c.code_point, before, after)) return false;
    before = c.code_point;
  }
  return true;
}

bool fits_block(std::string_view text) {
  const bool blank = text.find_first_not_of(" \t\n") == std::string_view::npos;
  if (blank || text.find('\n') == std::string_view::npos) return false;
  return each_character(text, [](char32_t c, char32_t before, char32_t after) {
    return !needs_escape(c, before, after);
  });
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  each_character(text, [&out](char32_t c, char32_t before, char32_t after) {
    std::array<char, 16> escape{};
    const auto code = static_cast<unsigned>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\x1b') {
      out += "\\e";
    } else if (!needs_escape(c, before, after)) {
      base::append_utf8(out, c);
    } else {
      const char* format = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
      std::snprintf(escape.data(), escape.size(), format, code);
      out += escape.data();
    }
    return true;
  });
  out += '"';
}

// Appends "|" and the lines of the text, indented by `indent`.
void append_block(std::string& out, std::string_view text, size_t indent) {
  out += '|';
  const bool begins_blank = text.front() == ' ' || text.front() == '\n' || text.front() == '\t';
  if (begins_blank) out += std::to_string(kStep);
  const bool ended = text.ends_with('\n');
  if (!ended) out += '-';
  if (text.ends_with("\n\n")) out += '+';
  for (const std::string_view line : base::split_lines(text)) {
    out += '\n';
    if (!line.empty()) out.append(indent, ' ').append(line);
  }
}

void append_text(std::string& out, std::string_view bytes, size_t indent) {
  const std::string text = base::to_valid_utf8(bytes);
  if (is_plain(text)) {
    out += text;
  } else if (fits_block(text)) {
    append_block(out, text, indent);
  } else {
    append_quoted(out, text);
  }
}

void append_value(std::string& out, const Json& value, size_t indent);

// Appends the fields of a mapping; the first one comes at the current position.
void append_fields(std::string& out, const Json& map, size_t indent) {
  bool first = true;
  for (const auto& [key, value] : map.items()) {
    if (!first) out.append("\n").append(indent, ' ');
    first = false;
    if (is_plain(key)) {
      out += key;
    } else {
      append_quoted(out, base::to_valid_utf8(key));
    }
    out += ':';
    append_value(out, value, indent);
  }
}

void append_items(std::string& out, const Json& list, size_t indent) {
  bool first = true;
  for (const Json& item : list) {
    if (!first) out.append("\n").append(indent, ' ');
    first = false;
    out += '-';
    if (item.is_object() && !item.empty()) {
      append_fields(out += ' ', item, indent + kStep);
    } else {
      append_value(out, item, indent);
    }
  }
}

// Appends the value after a ":" or "-" that is indented by `indent`.
void append_value(std::string& out, const Json& value, size_t indent) {
  const size_t inner = indent + kStep;
  if (value.is_string()) {
    append_text(out += ' ', value.get_ref<const std::string&>(), inner);
  } else if (value.is_object() && !value.empty()) {
    append_fields(out.append("\n").append(inner, ' '), value, inner);
  } else if (value.is_array() && !value.empty()) {
    append_items(out.append("\n").append(inner, ' '), value, inner);
  } else {
    out.append(" ").append(value.dump());
  }
}

}  // namespace

std::string yaml_quoted(std::string_view text) {
  std::string out;
  append_quoted(out, base::to_valid_utf8(text));
  return out;
}

std::string to_yaml(const base::Json& value) {
  std::string out;
  if (value.is_object() && !value.empty()) {
    append_fields(out, value, 0);
  } else if (value.is_array() && !value.empty()) {
    append_items(out, value, 0);
  } else if (value.is_string()) {
    append_text(out, value.get_ref<const std::string&>(), kStep);
  } else {
    out += value.dump();
  }
  return out += '\n';
}

}  // namespace orch::yaml
