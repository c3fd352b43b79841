#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace orch::base {

// Reads the members of one JSON object and keeps the first error, so that an object is read as a
// plain list of its members. Unknown members are ignored, null is missing. Numbers are counts:
// whole, from 0, and of the size of what they are read into. Users link nlohmann_json.
class JsonMembers {
 public:
  // `what` stands before every error; "" for nothing.
  JsonMembers(std::string_view what, std::string_view text) : what_(what) {
    bool too_deep = false;
    const auto check_depth = [&too_deep](int depth, nlohmann::json::parse_event_t /*event*/,
                                         nlohmann::json& /*value*/) {
      too_deep = too_deep || depth > kMaxDepth;
      return !too_deep;
    };
    json_ = nlohmann::json::parse(text, check_depth, /*allow_exceptions=*/false);
    if (too_deep || !json_.is_object()) fail("not a JSON object");
  }

  bool ok() const { return !error_; }
  const Error& error() const { return *error_; }  // when not ok()
  // `record`, or what was wrong.
  template <typename Record>
  Result<Record> finish(Record record) && {
    if (error_) return *std::move(error_);
    return record;
  }

  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  template <typename T>
  void required(const char* key, T& out) {
    if (!read(key, out)) fail(quoted(key) + " is missing");
  }
  template <typename T>
  void optional(const char* key, T& out) {
    read(key, out);
  }
  template <typename T>
  void optional(const char* key, std::optional<T>& out) {
    T value{};
    if (read(key, value) && ok()) out = std::move(value);
  }
  // A word that `named` knows; a missing one is "".
  template <typename Enum>
  void word(const char* key, std::optional<Enum> (*named)(std::string_view), Enum& out) {
    std::string text;
    read(key, text);
    if (error_) return;
    const std::optional<Enum> value = named(text);
    if (!value) return wrong(key, "a known word");
    out = *value;
  }

 private:
  static constexpr int kMaxDepth = 32;  // of what others may nest; ours are two deep

  static std::string quoted(const char* key) { return std::string("\"") + key + "\""; }
  void fail(const std::string& text) {
    if (!error_) error_ = usage_error(what_.empty() ? text : what_ + ": " + text);
  }
  void wrong(const char* key, std::string_view expected) {
    fail(quoted(key) + " is not " + std::string(expected));
  }

  // False when it is missing or null; a wrong one counts as there.
  template <typename T>
  bool read(const char* key, T& out) {
    if (error_) return true;
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) return false;
    take(key, *found, out);
    return true;
  }

  void take(const char* key, const nlohmann::json& value, std::string& out) {
    if (!value.is_string()) return wrong(key, "a string");
    out = value.get<std::string>();
  }
  void take(const char* key, const nlohmann::json& value, std::vector<std::string>& out) {
    if (!value.is_array()) return wrong(key, "a list of strings");
    for (const nlohmann::json& item : value) take(key, item, out.emplace_back());
  }
  void take(const char* key, const nlohmann::json& value, bool& out) {
    if (!value.is_boolean()) return wrong(key, "true or false");
    out = value.get<bool>();
  }
  template <typename Integer>
  void take(const char* key, const nlohmann::json& value, Integer& out) {
    if (!value.is_number_unsigned()) return wrong(key, "a whole number from 0");
    const auto wide = value.get<uint64_t>();
    if (!std::in_range<Integer>(wide)) return wrong(key, "a number of this size");
    out = static_cast<Integer>(wide);
  }

  std::string what_;
  nlohmann::json json_;
  std::optional<Error> error_;
};

}  // namespace orch::base
