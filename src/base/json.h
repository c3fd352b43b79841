#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_fwd.h"

// How orch reads and writes JSON. Code that includes this has to link nlohmann_json.
namespace orch::base {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
inline Json or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

// Limits for JSON to read, because its writer chooses the shape: a value is copied, written and
// compared by recursion into its levels of objects and arrays, and adding a member to a base::Json
// looks at all members of the object.
inline constexpr int kMostJsonDepth = 128;
inline constexpr size_t kMostJsonMembers = 2'000;  // of one object

enum class JsonShape : uint8_t { kFits, kTooDeep, kTooWide };
// Finds the shape without parsing. A text that is not JSON, with comments or without, may still
// fit. `most_depth` is at most kMostJsonDepth.
JsonShape shape_of_json(std::string_view text, int most_depth = kMostJsonDepth,
                        size_t most_members = kMostJsonMembers);
// For JSON that is read into objects that find a member fast, however many there are.
bool nests_too_deep(std::string_view json, int most_depth = kMostJsonDepth);

// The value of a text; discarded (Json::is_discarded()), and so neither an object nor an array, if
// the text is not JSON or does not fit.
Json parse_json(std::string_view text);

// A member of an object; null if there is none, or `object` is something else.
const Json& member(const Json& object, std::string_view key);
std::string text_at(const Json& object, std::string_view key);  // "" if the member is not a text

// On one line, without a line feed. Here and in json_text(), text that is not UTF-8 becomes U+FFFD,
// and invisible characters are escaped. A reader of JSON undoes the escapes.
std::string json_line(const Json& json);
// Indented, with a line feed at the end: for files, and for people.
std::string json_text(const Json& json);

}  // namespace orch::base
