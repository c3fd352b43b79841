#include "adapters/message.h"

#include "base/json.h"
#include "base/text.h"

namespace orch::adapters {
namespace {

// What the agents trim off, as JavaScript's trim() does.
bool is_white_space(char32_t c) {
  return c <= ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

}  // namespace

bool begins_command(std::string_view text, std::string_view command_start) {
  while (!text.empty()) {
    const base::Decoded first = base::decode_utf8(text);
    if (!is_white_space(first.code_point)) break;
    text.remove_prefix(first.length);
  }
  return !text.empty() && command_start.find(text.front()) != std::string_view::npos;
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
