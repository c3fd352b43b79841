#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "adapters/line_spec.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/words.h"

namespace orch::adapters {

class Language;
class Members;

// The members of one kind of object in a manifest, as calls of Members: one for each member, which
// names it, its type, and its meaning in one line. So a member that is read is also described.
template <typename Record>
using MembersOf = void (*)(Members& in, Record& out);

// The members of an object in a manifest. It reads them from a file, or, while the Language is
// described, only takes down what a reader asks for. Every object may also have the member "about",
// a comment. Code that includes this has to link nlohmann_json.
class Members {
 public:
  // Reads an object; "" leaves `in` its own place.
  explicit Members(base::JsonMembers& in);
  // Describes an object, whose place in a manifest is `place`, into a schema.
  Members(Language& language, std::string place, base::Json& schema);

  bool ok() const { return in_ == nullptr || in_->ok(); }
  bool describes() const { return in_ == nullptr; }
  // Whether the object has the member. While it is described, true until the member is described:
  // so each branch that depends on a member is taken once.
  bool has(const std::string& key);
  void fail(const std::string& key, const std::string& what);

  // Leaves `out` unchanged if the member is missing or wrong.
  template <typename T>
  void optional(const std::string& key, T& out, const char* about) {
    if (!describes()) return in_->optional(key, out);
    base::Json schema = schema_of(out);
    if (const base::Json value = default_of(out); !value.is_null()) schema["default"] = value;
    describe(key, schema, about);
  }
  // The same; a member that is missing or empty is an error.
  template <typename T>
  void required(const std::string& key, T& out, const char* about) {
    if (describes()) return describe(key, schema_of(out), about, kRequired);
    in_->required(key, out);
    if (is_empty(out)) fail(key, "is missing");
  }
  // RE2 expressions. One from the user is compiled here, so that an error names the field. Those of
  // the binary's own manifests are compiled by a test instead, and when they are used.
  void pattern(const std::string& key, std::string& out, const char* about);
  void required_pattern(const std::string& key, std::string& out, const char* about);
  void patterns(const std::string& key, std::vector<std::string>& out, const char* about);
  // An object with a pattern for some of the names.
  void named_patterns(const std::string& key, const std::vector<std::string_view>& names,
                      std::vector<std::pair<std::string, std::string>>& out, const char* about);
  // Ways to members of a JSON line: "/message/content".
  void way(const std::string& key, std::string& out, const char* about);
  void ways(const std::string& key, std::vector<std::string>& out, const char* about);
  void conditions(const std::string& key, LineConditions& out, const char* about);
  // An object of settings of the agent, as JSON text.
  void settings(const std::string& key, std::string& out, const char* about);
  // One of the words.
  template <typename Enum, size_t N>
  void word(const std::string& key, const base::Words<Enum, N>& words, std::optional<Enum>& out,
            const char* about) {
    std::vector<std::string_view> names;
    for (const auto& [value, word] : words) names.push_back(word);
    if (const auto text = word_of(key, names, about)) out = base::value_of(words, *text);
  }
  template <typename Enum, size_t N>
  void word(const std::string& key, const base::Words<Enum, N>& words, Enum& out,
            const char* about) {
    std::optional<Enum> value;
    word(key, words, value, about);
    out = value.value_or(out);
  }
  template <typename Enum, size_t N>
  void required_word(const std::string& key, const base::Words<Enum, N>& words, Enum& out,
                     const char* about) {
    word(key, words, out, about);
    require(key);
  }
  // The word, if there is one and it is among `names`.
  std::optional<std::string> word_of(const std::string& key,
                                     const std::vector<std::string_view>& names, const char* about);
  // An error if the member is missing. While the object is described, takes down that it must not.
  void require(const std::string& key);

  // An object.
  template <typename Record>
  void object(const std::string& key, Record& out, MembersOf<Record> members, const char* about) {
    if (describes()) return describe(key, reference(place_of(key), members), about);
    if (const base::Json* value = in_->find(key)) read(*value, in_->place_of(key), out, members);
  }
  template <typename Record>
  void object(const std::string& key, std::optional<Record>& out, MembersOf<Record> members,
              const char* about) {
    if (describes()) return describe(key, reference(place_of(key), members), about);
    if (!in_->has(key)) return;
    out = Record{};  // GCC 12 and clang 14 find no emplace() for a class inside of its record
    object(key, *out, members, about);
  }
  // A list of objects. With `noun`, errors name an object with an id by that: "rule permission:".
  template <typename Record>
  void list(const std::string& key, std::vector<Record>& out, MembersOf<Record> members,
            const char* about, const std::string& noun = "") {
    if (describes()) return describe(key, array_of(reference(place_of(key), members)), about);
    const base::Json* value = in_->find(key);
    if (value == nullptr) return;
    if (!value->is_array()) return fail(key, "must be an array");
    for (size_t i = 0; i < value->size() && ok(); ++i) {
      read((*value)[i], place_in_list(key, i, (*value)[i], noun), out.emplace_back(), members);
    }
  }
  // An object, or a list of 1 to `most` of them.
  template <typename Record>
  void one_or_list(const std::string& key, std::vector<Record>& out, size_t most,
                   MembersOf<Record> members, const char* about) {
    if (describes()) {
      const base::Json one = reference(place_of(key), members);
      return describe(key, {{"anyOf", {one, array_of(one)}}}, about);
    }
    const base::Json* value = in_->find(key);
    if (value == nullptr) return;
    if (!value->is_array()) return read(*value, in_->place_of(key), out.emplace_back(), members);
    if (value->empty() || value->size() > most) {
      return fail(key, "must be one object, or a list of 1 to " + std::to_string(most));
    }
    list(key, out, members, about);
  }
  // A member of any other type, by its schema; nullptr if it is missing, or while it is described.
  const base::Json* value(const std::string& key, const char* schema, const char* about);
  // Takes down a member. Only while the object is described.
  enum Presence : uint8_t { kOptional, kRequired };
  void describe(const std::string& key, const base::Json& schema, const std::string& about,
                Presence presence = kOptional);

 private:
  template <typename T>
  static base::Json schema_of(const T& /*out*/) {
    if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_integral_v<T>) {
      return {{"type", "integer"}, {"minimum", 0}};
    } else {
      return {{"type", "string"}};
    }
  }
  template <typename T>
  static base::Json schema_of(const std::optional<T>& /*out*/) {
    return schema_of(T{});
  }
  static base::Json schema_of(const std::vector<std::string>& out);
  static base::Json schema_of(const std::map<std::string, std::string>& out);
  static base::Json array_of(base::Json items);
  // The value of a member that is missing; null if there is none to speak of.
  template <typename T>
  static base::Json default_of(const T& out) {
    if constexpr (std::is_integral_v<T>) return out;
    return nullptr;
  }
  template <typename T>
  static bool is_empty(const T& out) {
    if constexpr (std::is_integral_v<T>)
      return false;
    else
      return out.empty();
  }
  void check_pattern(const std::string& key, const std::string& expression);
  void check_way(const std::string& key, const std::string& way);
  std::string place_in_list(const std::string& key, size_t index, const base::Json& object,
                            const std::string& noun) const;
  template <typename Record>
  void read(const base::Json& json, std::string place, Record& out, MembersOf<Record> members) {
    base::JsonMembers inner(*in_, json, std::move(place));
    Members in(inner);
    members(in, out);
  }

  std::string place_of(const std::string& key) const {
    return place_.empty() ? key : place_ + "." + key;
  }
  // A reference to the schema of a kind of object, which the first one describes.
  template <typename Record>
  base::Json reference(const std::string& place, MembersOf<Record> members);

  base::JsonMembers* in_ = nullptr;  // null: describes
  Language* language_ = nullptr;
  std::string place_;
  base::Json* schema_ = nullptr;
};

// The language of manifests, while it is described: the schema of each kind of object, by the place
// of the first one of them ("rules.when").
class Language {
 public:
  using Kind = void (*)();

  // The name of a kind of object; describes it at first.
  template <typename Record>
  std::string name_of(const std::string& place, MembersOf<Record> members) {
    const auto kind = reinterpret_cast<Kind>(members);
    for (const auto& [known, name] : kinds_) {
      if (known == kind) return name;
    }
    kinds_.emplace_back(kind, place);
    schemas_[place] = object_of(place, members);
    return place;
  }
  // The schema of an object, with the branches for all of its members.
  template <typename Record>
  base::Json object_of(const std::string& place, MembersOf<Record> members) {
    base::Json schema = empty_object();
    for (size_t described = 0; described < schema["properties"].size();) {
      described = schema["properties"].size();
      Record record{};
      Members in(*this, place, schema);
      members(in, record);
    }
    check_asked(place, schema);
    return schema;
  }
  // Takes down that a reader asked for a member, which it has to describe, too.
  void ask(const std::string& place, const std::string& key) { asked_.emplace_back(place, key); }
  // The schemas of all kinds of objects that were described.
  base::Json take_schemas() { return std::move(schemas_); }

 private:
  static base::Json empty_object();
  void check_asked(const std::string& place, const base::Json& schema) const;

  std::vector<std::pair<Kind, std::string>> kinds_;
  std::vector<std::pair<std::string, std::string>> asked_;
  base::Json schemas_ = base::Json::object();
};

template <typename Record>
base::Json Members::reference(const std::string& place, MembersOf<Record> members) {
  return {{"$ref", "#/$defs/" + language_->name_of(place, members)}};
}

}  // namespace orch::adapters
