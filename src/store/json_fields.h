#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

// Reading and writing the small JSON files of the state directory.
namespace orch::store {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
inline Json or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

// Indented, with a final line feed.
inline std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Reads the members of one JSON object and keeps the first error. Strings of which "" means unknown
// and optionals may be null or missing.
class Fields {
 public:
  Fields(std::string_view what, std::string_view text)
      : what_(what), json_(Json::parse(text, nullptr, false)) {
    if (!json_.is_object()) fail("not a JSON object");
  }

  template <typename T>
  void required(const char* key, T& out) {
    const Json* value = present(key);
    if (value == nullptr) return wrong(key, "there");
    read(key, *value, out);
  }

  void nullable(const char* key, std::string& out) {
    const Json* value = present(key);
    if (value != nullptr) read(key, *value, out);
  }
  template <typename T>
  void nullable(const char* key, std::optional<T>& out) {
    const Json* value = present(key);
    if (value != nullptr) read(key, *value, out.emplace());
  }

  // A word that `named` knows.
  template <typename Enum>
  void word(const char* key, std::optional<Enum> (*named)(std::string_view), Enum& out) {
    std::string text;
    required(key, text);
    choose(key, named, text, out);
  }
  template <typename Enum>
  void nullable_word(const char* key, std::optional<Enum> (*named)(std::string_view), Enum& out) {
    std::string text;
    nullable(key, text);
    choose(key, named, text, out);
  }

  template <typename Record>
  base::Result<Record> finish(Record record) && {
    if (error_) return *std::move(error_);
    return record;
  }

 private:
  void fail(std::string_view text) {
    if (!error_) error_ = base::usage_error(what_ + ": " + std::string(text));
  }
  void wrong(const char* key, std::string_view expected) {
    fail(std::string("field \"") + key + "\" is not " + std::string(expected));
  }

  // nullptr when it is missing or null.
  const Json* present(const char* key) const {
    if (error_) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  void read(const char* key, const Json& value, std::string& out) {
    if (!value.is_string()) return wrong(key, "a string");
    out = value.get<std::string>();
  }
  void read(const char* key, const Json& value, int64_t& out) {
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() ||
                       value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()});
    if (!fits) return wrong(key, "a whole number");
    out = value.get<int64_t>();
  }
  void read(const char* key, const Json& value, int& out) {
    int64_t wide = 0;
    read(key, value, wide);
    if (!std::in_range<int>(wide)) return wrong(key, "a number of this size");
    out = static_cast<int>(wide);
  }

  void read(const char* key, const Json& value, std::vector<std::string>& out) {
    if (!value.is_array()) return wrong(key, "a list of strings");
    for (const Json& item : value) read(key, item, out.emplace_back());
  }

  template <typename Enum>
  void choose(const char* key, std::optional<Enum> (*named)(std::string_view),
              const std::string& text, Enum& out) {
    if (error_) return;
    const std::optional<Enum> value = named(text);
    if (!value) return wrong(key, "a known word");
    out = *value;
  }

  std::string what_;
  Json json_;
  std::optional<base::Error> error_;
};

}  // namespace orch::store
