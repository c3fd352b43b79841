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

// What is read, for whoever wrote a text has chosen its shape: a value is copied, written and
// compared by recursion into its levels of objects and arrays, and of a base::Json all members of
// an object are looked at for each that is added.
inline constexpr int kMostJsonDepth = 128;
inline constexpr size_t kMostJsonMembers = 2'000;  // of one object

enum class JsonShape : uint8_t { kFits, kTooDeep, kTooWide };
// Tells it without parsing. If the text is no JSON, with comments or without, it may fit all the
// same. `most_depth` is at most kMostJsonDepth.
JsonShape shape_of_json(std::string_view text, int most_depth = kMostJsonDepth,
                        size_t most_members = kMostJsonMembers);
// For what is read into objects that find a member soon, however many there are.
bool nests_too_deep(std::string_view json, int most_depth = kMostJsonDepth);

// What a text says; discarded (Json::is_discarded()), and so no object and no array, if it is no
// JSON or does not fit.
Json parse_json(std::string_view text);

// On one line, without a line feed. Here and in json_text(), text that is not UTF-8 becomes U+FFFD,
// and invisible characters are escaped, which a reader of JSON undoes.
std::string json_line(const Json& json);
// Indented, with a line feed at the end: for files, and for people.
std::string json_text(const Json& json);

}  // namespace orch::base
