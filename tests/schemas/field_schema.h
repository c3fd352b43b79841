#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// What a list of a record's fields (src/base/json_writer.h) says about the JSON of that record, as
// a JSON Schema.
namespace orch::schemas {

using Schema = nlohmann::ordered_json;  // keeps the order of the fields

// Whether `value` is one of the enumerators of its type: only these have a name, which the compiler
// writes into the signature.
template <auto value>
constexpr bool is_enumerator() {
  const std::string_view signature = __PRETTY_FUNCTION__;
  const size_t at = signature.rfind("value = ") + std::string_view("value = ").size();
  return signature[at] != '(';
}

template <typename Enum, size_t... n>
std::vector<Enum> enumerators(std::index_sequence<n...> /*values*/) {
  std::vector<Enum> all;
  ((is_enumerator<static_cast<Enum>(n)>() ? all.push_back(static_cast<Enum>(n)) : void()), ...);
  return all;
}

// Has the functions of JsonWriter, and notes the fields with which a list calls them.
class FieldSchema {
 public:
  template <typename T>
  void required(const char* key, const T& value) {
    add(key, type_of(value));
  }
  template <typename T>
  void optional(const char* key, const T& value) {
    add(key, type_of(value));
  }
  template <typename T>
  void nullable(const char* key, const T& value) {
    add(key, or_null(type_of(value)));
  }
  template <typename T>
  void sparse(const char* key, const T& value) {
    if constexpr (requires { value.has_value(); }) {
      properties_[key] = type_of(typename T::value_type());
    } else {
      properties_[key] = type_of(value);
    }
  }
  void json(const char* key, const std::string& /*text*/) {
    add(key, {{"type", {"object", "array", "string", "number", "boolean", "null"}}});
  }
  template <typename T>
  void limit(const char* key, T value) {
    add(key, or_null(type_of(value)));
  }
  template <typename Named, typename Enum>
  void word(const char* key, const Named& named, const Enum& /*value*/) {
    add(key, words<Enum>(named));
  }
  template <typename Named, typename Enum>
  void word(const char* key, const Named& named, const std::optional<Enum>& /*value*/) {
    add(key, or_null(words<Enum>(named)));
  }
  void either(const char* key, const char* no, const char* yes, bool /*value*/) {
    add(key, {{"enum", Schema::array({no, yes})}});
  }
  template <typename Record, typename Fields>
  void object(const char* key, const Record& record, const Fields& fields) {
    add(key, schema_of(record, fields));
  }
  template <typename Record, typename Fields>
  void object(const char* key, const std::optional<Record>& /*record*/, const Fields& fields) {
    add(key, or_null(schema_of(Record(), fields)));
  }
  template <typename Record, typename Fields>
  void list(const char* key, const std::vector<Record>& /*records*/, const Fields& fields) {
    add(key, {{"type", "array"}, {"items", schema_of(Record(), fields)}});
  }
  template <typename Map, typename Fields>
  void map(const char* key, const Map& /*records*/, const Fields& fields) {
    add(key, {{"type", "object"},
              {"additionalProperties", schema_of(typename Map::mapped_type(), fields)}});
  }

  // A field that the list does not have, since it says which list it is.
  void constant(const char* key, const char* word) { properties_[key] = {{"const", word}}; }

  template <typename Record, typename Fields>
  static Schema schema_of(const Record& record, const Fields& fields) {
    FieldSchema of_record;
    fields(of_record, record);
    return of_record.schema();
  }

  Schema schema() const {
    return {{"type", "object"},
            {"required", required_},
            {"additionalProperties", false},
            {"properties", properties_}};
  }

  // Adds what the same list says of another record: the fields that are there are those of both,
  // and those that are always there are those that both have.
  void merge(const FieldSchema& other) {
    properties_.update(other.properties_);
    std::erase_if(required_, [&](const std::string& key) {
      return std::ranges::find(other.required_, key) == other.required_.end();
    });
  }

 private:
  void add(const char* key, Schema schema) {
    properties_[key] = std::move(schema);
    required_.push_back(key);
  }

  // The schema of a value that JsonWriter writes as it is.
  template <typename T>
  static Schema type_of(const T& value) {
    if constexpr (requires { value.has_value(); }) {
      return or_null(type_of(typename T::value_type()));
    } else if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_integral_v<T>) {
      return {{"type", "integer"}, {"minimum", 0}};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {{"type", "number"}};
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      return {{"type", "string"}};
    } else if constexpr (requires { typename T::mapped_type; }) {
      return {{"type", "object"}, {"additionalProperties", type_of(typename T::mapped_type())}};
    } else {
      return {{"type", "array"}, {"items", type_of(typename T::value_type())}};
    }
  }

  static Schema or_null(Schema schema) {
    if (schema.contains("enum")) {
      schema["enum"].push_back(nullptr);
    } else if (schema["type"].is_string()) {
      schema["type"] = Schema::array({schema["type"], "null"});
    }
    return schema;
  }

  // The words of an enum; null if one of its values has none, and that can be read again.
  template <typename Enum, typename Named>
  static Schema words(const Named& named) {
    constexpr size_t kMost = 64;  // no enum of ours has more
    Schema all = Schema::array();
    bool has_none = false;
    for (const Enum value : enumerators<Enum>(std::make_index_sequence<kMost>())) {
      const std::string_view word = name(value);
      if (!word.empty()) all.push_back(word);
      has_none = has_none || (word.empty() && named("") == value);
    }
    return has_none ? or_null({{"enum", all}}) : Schema{{"enum", all}};
  }

  Schema properties_ = Schema::object();
  std::vector<std::string> required_;
};

}  // namespace orch::schemas
