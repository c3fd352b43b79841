#include "base/json.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/invisible.h"

namespace orch::base {
namespace {

// The last character of the comment that begins at `at`, if one does. Lines end where the parser
// ends them.
size_t end_of_comment(std::string_view text, size_t at) {
  constexpr std::string_view kLineEnds("\n\r\0", 3);
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find_first_of(kLineEnds, at), text.size());
  if (!rest.starts_with("/*")) return at;
  const size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// The last character of the string that begins at `at` with a quote.
size_t end_of_string(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
  return at;
}

}  // namespace

JsonShape shape_of_json(std::string_view text, int most_depth, size_t most_members) {
  std::array<size_t, kMostJsonDepth + 1> members{};  // of the object that is open at each depth
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        i = end_of_string(text, i);
        break;
      case '/':
        i = end_of_comment(text, i);
        break;
      case '{':
      case '[':
        if (++depth > std::min(most_depth, kMostJsonDepth)) return JsonShape::kTooDeep;
        members[static_cast<size_t>(depth)] = 0;
        break;
      case ':':
        if (++members[static_cast<size_t>(depth)] > most_members) return JsonShape::kTooWide;
        break;
      case '}':
      case ']':
        if (--depth < 0) return JsonShape::kFits;  // not JSON
        break;
      default:
        break;
    }
  }
  return JsonShape::kFits;
}

bool nests_too_deep(std::string_view json, int most_depth) {
  constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();
  return shape_of_json(json, most_depth, kAnyNumber) == JsonShape::kTooDeep;
}

Json parse_json(std::string_view text) {
  if (shape_of_json(text) != JsonShape::kFits) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

const Json& member(const Json& object, std::string_view key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::string text_at(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::string json_line(const Json& json) {
  return with_visible_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string json_text(const Json& json) {
  return with_visible_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace orch::base
