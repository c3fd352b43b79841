#include "adapters/message.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace orch::adapters {
namespace {

// Whether agents trim the character off, as JavaScript's trim() does.
bool is_white_space(char32_t c) {
  return c <= ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

std::string_view without_white_space_before(std::string_view text) {
  while (!text.empty()) {
    const base::Decoded first = base::decode_utf8(text);
    if (!is_white_space(first.code_point)) break;
    text.remove_prefix(first.length);
  }
  return text;
}

}  // namespace

bool begins_command(std::string_view text, std::string_view command_start) {
  const std::string_view rest = without_white_space_before(text);
  return !rest.empty() && command_start.find(rest.front()) != std::string_view::npos;
}

bool is_command_word(std::string_view text, const std::vector<std::string>& words) {
  const std::string_view rest = without_white_space_before(text);
  return std::any_of(words.begin(), words.end(), [rest](const std::string& word) {
    return rest.starts_with(word) && without_white_space_before(rest.substr(word.size())).empty();
  });
}

std::string message_input(const HeadlessSpec& spec, const std::string& text) {
  if (spec.message.empty()) return text;
  constexpr std::string_view kHole = "{text}";
  const std::string json =
      base::Json(text).dump(-1, ' ', false, base::Json::error_handler_t::replace);
  std::string line = spec.message;
  for (size_t at = line.find(kHole); at != std::string::npos;
       at = line.find(kHole, at + json.size())) {
    line.replace(at, kHole.size(), json);
  }
  return line + "\n";
}

}  // namespace orch::adapters
