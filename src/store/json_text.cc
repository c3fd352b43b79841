#include "store/json_text.h"

#include <cstdint>

#include "base/text.h"

namespace orch::store {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Printable ASCII but " and \ stands for itself.
bool is_plain(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<uint8_t>(c);
  out += "\\u00";
  out += kHex[byte >> 4U];
  out += kHex[byte & 15U];
}

}  // namespace

size_t append_json_text(std::string& out, std::string_view bytes) {
  size_t malformed = 0;
  size_t copied = 0;  // bytes[copied, i) goes out as it is
  for (size_t i = 0; i < bytes.size();) {
    if (is_plain(bytes[i])) {
      ++i;
      continue;
    }
    const base::Decoded c = base::decode_utf8(bytes.substr(i));
    const bool ascii = c.code_point < 0x80;
    if (!ascii && (c.code_point != 0xFFFD || bytes.substr(i, c.length) == kReplacement)) {
      i += c.length;
      continue;
    }
    out.append(bytes, copied, i - copied);
    if (ascii) {
      append_escape(out, bytes[i]);
    } else {
      out += kReplacement;
      malformed += c.length;
    }
    i += c.length;
    copied = i;
  }
  out.append(bytes, copied, bytes.size() - copied);
  return malformed;
}

}  // namespace orch::store
