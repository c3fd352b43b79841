#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/invisible.h"
#include "base/json_fwd.h"

// How orch writes JSON. Code that includes this has to link nlohmann_json.
namespace orch::base {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
inline Json or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

// On one line, without a line feed. Here and in json_text(), text that is not UTF-8 becomes U+FFFD,
// and invisible characters are escaped, which a reader of JSON undoes.
inline std::string json_line(const Json& json) {
  return with_visible_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// Indented, with a line feed at the end: for files, and for people.
inline std::string json_text(const Json& json) {
  return with_visible_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace orch::base
