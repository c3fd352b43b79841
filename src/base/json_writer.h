#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/json_members.h"

// A list of a record's fields, which is used for both reading and writing. It is a generic lambda:
//
//   constexpr auto kBoxFields = [](auto& in, auto& box) {
//     in.required("id", box.id);
//     in.nullable("title", box.title);
//   };
//
// A JsonMembers fills the record with it, and a JsonWriter an object. The fields have the same
// order in the file. Code that includes this has to link nlohmann_json.
namespace orch::base {

// Writes members into an object, by functions with the same names as in JsonMembers, which reads
// them.
class JsonWriter {
 public:
  explicit JsonWriter(Json& object) : object_(object) {
    if (object_.is_null()) object_ = Json::object();
  }

  // Both always write the member; a reader treats a missing one differently.
  template <typename T>
  void required(const char* key, const T& value) {
    object_[key] = value;
  }
  template <typename T>
  void optional(const char* key, const T& value) {
    object_[key] = value;
  }
  // Writes null if the value is not known: an empty text, an empty optional, or a number below 0.
  template <typename T>
  void nullable(const char* key, const T& value) {
    object_[key] = is_unknown(value) ? Json(nullptr) : json_of(value);
  }
  // Leaves the member out if the value is not known, or the default: an empty text or list, false,
  // 0.
  template <typename T>
  void sparse(const char* key, const T& value) {
    if (!is_unknown(value) && value != T{}) object_[key] = json_of(value);
  }
  // Writes the value of a JSON text; null for "".
  void json(const char* key, const std::string& text) {
    object_[key] = text.empty() ? Json(nullptr) : parse_json(text);
  }
  // Writes null for 0, which means no limit.
  template <typename T>
  void limit(const char* key, T value) {
    object_[key] = value > 0 ? Json(value) : Json(nullptr);
  }
  // Writes the word that name(value) returns; null if that is "".
  template <typename Named, typename Enum>
  void word(const char* key, const Named& /*named*/, const Enum& value) {
    object_[key] = or_null(name(value));
  }
  template <typename Named, typename Enum>
  void word(const char* key, const Named& named, const std::optional<Enum>& value) {
    if (value) return word(key, named, *value);
    object_[key] = nullptr;
  }
  // Writes one of two words.
  void either(const char* key, const char* no, const char* yes, bool value) {
    object_[key] = value ? yes : no;
  }
  template <typename Record, typename Fields>
  void object(const char* key, const Record& record, const Fields& fields) {
    JsonWriter out(object_[key]);
    fields(out, record);
  }
  template <typename Record, typename Fields>
  void object(const char* key, const std::optional<Record>& record, const Fields& fields) {
    if (record) return object(key, *record, fields);
    object_[key] = nullptr;
  }
  template <typename Record, typename Fields>
  void list(const char* key, const std::vector<Record>& records, const Fields& fields) {
    Json& list = object_[key] = Json::array();
    for (const Record& record : records) {
      JsonWriter out(list.emplace_back(Json::object()));
      fields(out, record);
    }
  }
  template <typename Map, typename Fields>
  void map(const char* key, const Map& records, const Fields& fields) {
    Json& members = object_[key] = Json::object();
    for (const auto& [name, record] : records) {
      JsonWriter out(members[name]);
      fields(out, record);
    }
  }

 private:
  template <typename T>
  static bool is_unknown(const T& value) {
    if constexpr (requires { value.has_value(); }) return !value.has_value();
    if constexpr (requires { value.empty(); }) return value.empty();
    if constexpr (std::is_arithmetic_v<T>) return value < T{};
    return false;
  }
  template <typename T>
  static Json json_of(const T& value) {
    if constexpr (requires { value.has_value(); }) {
      return Json(*value);
    } else {
      return Json(value);
    }
  }

  Json& object_;
};

// Converts a record to an object, and a text that consists of an object to a record; `what` as for
// JsonDocument.
template <typename Record, typename Fields>
Json object_of(const Record& record, const Fields& fields) {
  Json json = Json::object();
  JsonWriter out(json);
  fields(out, record);
  return json;
}

template <typename Record, typename Fields>
Json object_of(const std::optional<Record>& record, const Fields& fields) {
  return record ? object_of(*record, fields) : Json(nullptr);
}

template <typename Record, typename Fields>
Result<Record> record_of(std::string_view what, std::string_view text, const Fields& fields) {
  JsonDocument document(what, text);
  Record record;
  {
    JsonMembers in(document);
    fields(in, record);
  }
  return document.finish(std::move(record));
}

// For a variant whose kinds each have a word and fields of their own: `each_kind` calls its
// argument with (std::type_identity<Kind>, word, fields) for each kind.
//
// Writes the word as member `key`, then the fields.
template <typename Variant, typename EachKind>
void write_kind(JsonWriter& out, const char* key, const EachKind& each_kind, const Variant& value) {
  each_kind([&]<typename Kind>(std::type_identity<Kind>, const char* word, const auto& fields) {
    const Kind* kind = std::get_if<Kind>(&value);
    if (kind == nullptr) return;
    out.required(key, word);
    fields(out, *kind);
  });
}
// Reads the kind with this word; nullopt if none has it.
template <typename Variant, typename EachKind>
std::optional<Variant> read_kind(JsonMembers& in, std::string_view word,
                                 const EachKind& each_kind) {
  std::optional<Variant> value;
  each_kind([&]<typename Kind>(std::type_identity<Kind>, const char* known, const auto& fields) {
    if (word != known) return;
    Kind kind{};
    fields(in, kind);
    value = std::move(kind);
  });
  return value;
}

}  // namespace orch::base
