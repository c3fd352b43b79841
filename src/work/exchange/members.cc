#include "exchange/members.h"

#include "base/text.h"

namespace orch::exchange {
namespace {

// The index behind the string that begins at `at`, or the end of the text.
size_t after_string(std::string_view json, size_t at) {
  while ((at = json.find_first_of("\"\\", at + 1)) != std::string_view::npos) {
    if (json[at] == '"') return at + 1;
    ++at;  // the character behind a backslash
  }
  return json.size();
}

// The index behind the value that begins at `at`: of the comma or bracket that follows it.
size_t after_value(std::string_view json, size_t at) {
  int depth = 0;
  while ((at = json.find_first_of("\"{}[],", at)) != std::string_view::npos) {
    const char c = json[at];
    if (c == '"') {
      at = after_string(json, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
  return json.size();
}

}  // namespace

std::optional<std::string_view> member_text(std::string_view json, std::string_view name) {
  std::optional<std::string_view> found;
  size_t at = json.find('{');
  if (at == std::string_view::npos) return found;
  while ((at = json.find_first_of("\"}", at)) != std::string_view::npos && json[at] == '"') {
    const size_t end = after_string(json, at);
    if (end < at + 2 || end >= json.size()) break;
    const std::string_view key = json.substr(at + 1, end - at - 2);
    const size_t colon = json.find(':', end);
    if (colon == std::string_view::npos) break;
    const size_t next = after_value(json, colon + 1);
    if (key == name) found = base::trim(json.substr(colon + 1, next - colon - 1));
    if (next >= json.size() || json[next] != ',') break;
    at = next + 1;
  }
  return found;
}

std::string member_word(std::string_view json, std::string_view name) {
  const auto text = member_text(json, name);
  if (!text || text->size() < 2 || text->front() != '"' || text->back() != '"') return "";
  const std::string_view word = text->substr(1, text->size() - 2);
  return word.find('\\') == std::string_view::npos ? std::string(word) : "";
}

bool has_elements(std::string_view json, std::string_view name) {
  const auto text = member_text(json, name);
  if (!text || text->size() < 2 || text->front() != '[') return false;
  return !base::trim(text->substr(1, text->size() - 2)).empty();
}

}  // namespace orch::exchange
