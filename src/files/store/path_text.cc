#include "store/path_text.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace orch::store {
namespace {

constexpr std::string_view kScheme = "file://";

// Characters that need no escape in a URL's path (RFC 3986, "unreserved"), and the slash.
bool is_plain(char c) {
  return base::is_letter_or_digit(c) || std::string_view("-._~/").find(c) != std::string_view::npos;
}

}  // namespace

std::string path_to_text(std::string_view path) {
  if (!base::invalid_utf8_at(path)) return std::string(path);
  std::string text(kScheme);
  for (const char c : path) {
    text += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

std::string path_from_text(std::string_view text) {
  if (!text.starts_with(kScheme)) return std::string(text);
  text.remove_prefix(kScheme.size());
  std::string path;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const bool is_escape =
        text[i] == '%' && digits.size() == 2 &&
        std::from_chars(digits.data(), digits.data() + 2, byte, 16).ptr == digits.data() + 2;
    path += is_escape ? static_cast<char>(byte) : text[i];
    if (is_escape) i += 2;
  }
  return path;
}

}  // namespace orch::store
