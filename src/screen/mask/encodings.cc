#include "mask/encodings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "mask/shapes.h"

namespace orch::mask {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUpperDigits = "0123456789ABCDEF", kLowerDigits = "0123456789abcdef";
// The characters that are not escaped besides letters and digits: by encodeURIComponent; then by
// RFC 3986 without and with a path's "/"; by HTML forms (WHATWG URL, Java); by PHP; by
// encodeURIComponent with "+" for a blank; by encodeURI.
constexpr std::string_view kUnescaped = "-_.!~*'()";
constexpr std::array<std::string_view, 6> kOtherUnescaped{
    "-_.~", "-_.~/", "*-._", "-_.", "-_.!~*'()", "-_.!~*'();,/?:@&=+$#"};
// The characters that some programs also write as \u00XX in JSON: none; Go; Rails and Jinja; .NET.
constexpr std::array<std::string_view, 4> kOtherEscaped{"", "<>&", "<>&'", "<>&'+\"`"};

// The Base64 characters of `bytes` from bit `first_bit` on, six bits each. Characters that need a
// bit outside of `bytes` are left out.
std::string base64_of(std::string_view bytes, size_t first_bit) {
  std::string out;
  for (size_t bit = first_bit; bit + 6 <= bytes.size() * 8; bit += 6) {
    uint32_t window = uint32_t{static_cast<unsigned char>(bytes[bit / 8])} << 8;
    if (bit / 8 + 1 < bytes.size()) window |= static_cast<unsigned char>(bytes[bit / 8 + 1]);
    out += kAlphabet[window >> (10 - bit % 8) & 63];
  }
  return out;
}

struct UrlStyle {
  std::string_view unescaped = kUnescaped;
  std::string_view digits = kUpperDigits;
  bool plus_for_blank = false;
};

std::string url_form(std::string_view value, const UrlStyle& style) {
  std::string out;
  for (const char c : value) {
    if (is_body(Shape::Body::kAlphanumeric, c) || style.unescaped.find(c) != std::string::npos) {
      out += c;
    } else if (c == ' ' && style.plus_for_blank) {
      out += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append({'%', style.digits[byte >> 4], style.digits[byte & 15]});
    }
  }
  return out;
}

struct JsonStyle {
  std::string_view escaped;  // the characters to write as \u00XX
  std::string_view digits = kLowerDigits;
  bool escapes_slash = false;
  bool is_ascii = false;  // characters that are not ASCII are escaped
};

void append_unit(std::string& out, uint32_t unit, std::string_view digits) {
  out += "\\u";
  for (const int shift : {12, 8, 4, 0}) out += digits[unit >> shift & 15];
}

// A code point beyond U+FFFF becomes a surrogate pair of UTF-16.
void append_escaped(std::string& out, char32_t code_point, std::string_view digits) {
  const uint32_t above = code_point < 0x10000 ? 0 : code_point - 0x10000;
  if (code_point < 0x10000) return append_unit(out, code_point, digits);
  append_unit(out, 0xD800 + (above >> 10), digits);
  append_unit(out, 0xDC00 + (above & 0x3FF), digits);
}

// Rewrites text that is escaped for JSON already in another style.
std::string restyled(std::string_view json, const JsonStyle& style) {
  std::string out;
  while (!json.empty()) {
    const bool is_pair = json.front() == '\\';
    const char c = is_pair ? json[1] : json.front();
    size_t length = is_pair ? 2 : 1;
    if ((!is_pair || c == '"') && style.escaped.find(c) != std::string_view::npos) {
      append_escaped(out, static_cast<unsigned char>(c), style.digits);
    } else if (c == '/' && style.escapes_slash) {
      out += "\\/";
    } else if (style.is_ascii && (c & '\x80') != 0) {
      const base::Decoded decoded = base::decode_utf8(json);
      append_escaped(out, decoded.code_point, style.digits);
      length = decoded.length;
    } else {
      out += json.substr(0, length);
    }
    json.remove_prefix(length);
  }
  return out;
}

// Each form once, in their order, without those in `known`.
std::vector<std::string> only_new(std::vector<std::string> forms,
                                  const std::vector<std::string>& known) {
  std::vector<std::string> left;
  for (std::string& form : forms) {
    const bool is_known = std::ranges::find(known, form) != known.end();
    if (!is_known && std::ranges::find(left, form) == left.end()) left.push_back(std::move(form));
  }
  return left;
}

}  // namespace

std::vector<std::string> base64_forms(std::string_view value) {
  std::vector<std::string> forms;
  constexpr std::array<size_t, 3> kFirstWholeBit{0, 4, 2};  // at place 0, 1 and 2 of a group
  for (const size_t bit : kFirstWholeBit) {
    std::string form = base64_of(value, bit);
    std::string in_urls = form;
    std::ranges::replace(in_urls, '+', '-');
    std::ranges::replace(in_urls, '/', '_');
    if (in_urls != form) forms.push_back(std::move(in_urls));
    forms.push_back(std::move(form));
  }
  return forms;
}

std::vector<std::string> url_forms(std::string_view value) {
  return only_new({url_form(value, {}), url_form(value, {.digits = kLowerDigits})},
                  {std::string(value)});
}

std::vector<std::string> other_url_forms(std::string_view value) {
  std::vector<std::string> forms;
  for (const std::string_view unescaped : kOtherUnescaped) {
    for (const std::string_view digits : {kUpperDigits, kLowerDigits}) {
      forms.push_back(url_form(value, {unescaped, digits, false}));
      forms.push_back(url_form(value, {unescaped, digits, true}));
    }
  }
  return only_new(std::move(forms), {std::string(value)});
}

std::string json_form(std::string_view value) {
  const std::string json = base::Json(base::to_valid_utf8(value)).dump();
  return json.substr(1, json.size() - 2);
}

std::vector<std::string> other_json_forms(std::string_view value) {
  const std::string json = json_form(value);
  std::vector<std::string> forms;
  for (const std::string_view escaped : kOtherEscaped) {
    for (const std::string_view digits : {kLowerDigits, kUpperDigits}) {
      for (const int style : {0, 1, 2, 3}) {
        forms.push_back(restyled(json, {escaped, digits, (style & 1) != 0, (style & 2) != 0}));
      }
    }
  }
  return only_new(std::move(forms), {std::string(value), json});
}

}  // namespace orch::mask
