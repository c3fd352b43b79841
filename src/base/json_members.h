#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace orch::base {

// Limits for a text to read, so that the time, memory and stack that it costs stay small.
struct JsonLimits {
  size_t bytes = std::numeric_limits<size_t>::max();
  int depth = 32;
  uint64_t number = std::numeric_limits<uint64_t>::max();  // the largest number that is accepted
};

// A JSON text that consists of one object, and the first error in it, which JsonMembers finds. So
// code can read an object as a plain list of its members, and check for an error once, at the end.
// Errors are usage errors: "run.json: argv: must be an array of strings". Code that includes this
// has to link nlohmann_json.
class JsonDocument {
 public:
  // `what` is put before every error; "": no prefix.
  JsonDocument(std::string_view what, std::string_view text,
               JsonAuthor author = JsonAuthor::kProgram, const JsonLimits& limits = {});
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  bool ok() const { return !error_; }
  const Error& error() const { return *error_; }  // only if not ok()
  // The way to the member that the error is about: "rules[3].when[0].match"; "" if it is about the
  // whole text.
  const std::string& way() const { return way_; }
  // Returns `record`, or the error.
  template <typename Record>
  Result<Record> finish(Record record) const {
    if (error_) return *error_;
    return record;
  }

 private:
  friend class JsonMembers;
  void fail(const std::string& text);
  void fail_in(const Json& object, const std::string& key, const std::string& text);

  std::string what_;
  JsonAuthor author_;
  JsonLimits limits_;
  Json json_;
  std::optional<Error> error_;
  std::string way_;
};

// Reads the members of one object of a document, which outlives this. After the first error it
// reads nothing more. Whole numbers are counts: not negative, and small enough for the type that
// they are read into.
class JsonMembers {
 public:
  explicit JsonMembers(JsonDocument& document);  // for the outermost object
  // For an object inside `parent`. Errors call it `place`: "box", "rules[3]". Names of members
  // follow it after a dot, or after a blank if `place` ends in a colon.
  JsonMembers(const JsonMembers& parent, const Json& object, std::string place);
  // For a text from the user, reports a member that was not asked for.
  ~JsonMembers();
  JsonMembers(const JsonMembers&) = delete;
  JsonMembers& operator=(const JsonMembers&) = delete;

  bool ok() const { return document_.ok(); }
  JsonAuthor author() const { return document_.author_; }
  // A member of any type; nullptr if it is missing, or after an error.
  const Json* find(const std::string& key);
  bool has(const std::string& key) { return find(key) != nullptr; }
  std::string place_of(const std::string& key) const;
  // Reports `what` about a member, or about the whole object (""). Only the first error counts.
  void fail(const std::string& key, const std::string& what);

  // Leaves `out` unchanged if the member is missing or wrong.
  template <typename T>
  void optional(const std::string& key, T& out) {
    if (const Json* value = find(key)) take(key, *value, out);
  }
  template <typename T>
  void optional(const std::string& key, std::optional<T>& out) {
    T value{};
    if (has(key)) optional(key, value);
    if (has(key)) out = std::move(value);
  }
  template <typename T>
  void required(const std::string& key, T& out) {
    if (!has(key)) return fail(key, "is missing");
    optional(key, out);
  }
  // The same as optional(), which treats null as missing if a program has written the text
  // (JsonAuthor). The names differ because JsonWriter has the same functions (json_writer.h).
  template <typename T>
  void nullable(const std::string& key, T& out) {
    optional(key, out);
  }
  template <typename T>
  void sparse(const std::string& key, T& out) {
    optional(key, out);
  }
  template <typename T>
  void limit(const std::string& key, T& out) {
    optional(key, out);
  }
  // A member of any type, as a JSON text on one line; "" of one that is missing or null.
  void json(const std::string& key, std::string& out);
  // A word that `named` knows; a missing one is read as "".
  template <typename Enum>
  void word(const std::string& key, std::optional<Enum> (*named)(std::string_view), Enum& out) {
    std::string text;
    optional(key, text);
    if (!ok()) return;
    const std::optional<Enum> value = named(text);
    if (!value) return fail(key, "\"" + text + "\" is not a known word");
    out = *value;
  }
  template <typename Enum>
  void word(const std::string& key, std::optional<Enum> (*named)(std::string_view),
            std::optional<Enum>& out) {
    if (has(key)) word(key, named, out.emplace());
  }
  // One of two words; any other is read as `no`.
  void either(const std::string& key, std::string_view no, std::string_view yes, bool& out);
  // An object with fields of its own; list() reads an array of those.
  template <typename Record, typename Fields>
  void object(const std::string& key, Record& out, const Fields& fields) {
    const Json* value = find(key);
    if (value == nullptr) return;
    JsonMembers in(*this, *value, place_of(key));
    fields(in, out);
  }
  template <typename Record, typename Fields>
  void object(const std::string& key, std::optional<Record>& out, const Fields& fields) {
    if (has(key)) object(key, out.emplace(), fields);
  }
  template <typename Record, typename Fields>
  void list(const std::string& key, std::vector<Record>& out, const Fields& fields) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_array()) return fail(key, "must be an array");
    for (size_t i = 0; i < value->size(); ++i) {
      JsonMembers in(*this, (*value)[i], place_of(key) + "[" + std::to_string(i) + "]");
      fields(in, out.emplace_back());
    }
  }
  // An object whose members, under arbitrary names, are objects with those fields.
  template <typename Map, typename Fields>
  void map(const std::string& key, Map& out, const Fields& fields) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_object()) return fail(key, "must be an object");
    for (const auto& [name, member] : value->items()) {
      JsonMembers in(*this, member, place_of(key) + "." + name);
      fields(in, out[name]);
    }
  }

 private:
  bool is_object() const { return object_.is_object(); }
  void take(const std::string& key, const Json& value, std::string& out);
  void take(const std::string& key, const Json& value, bool& out);
  void take(const std::string& key, const Json& value, double& out);
  void take(const std::string& key, const Json& value, std::vector<std::string>& out);
  void take(const std::string& key, const Json& value, std::map<std::string, std::string>& out);
  template <typename Integer, typename Less>
  void take(const std::string& key, const Json& value, std::map<std::string, Integer, Less>& out) {
    if (!value.is_object()) return fail(key, "must be an object of whole numbers");
    for (const auto& [name, number] : value.items()) take(key + "." + name, number, out[name]);
  }
  // nullopt, and an error, if it is not a whole number from 0 to `most`.
  std::optional<uint64_t> number(const std::string& key, const Json& value, uint64_t most);
  template <typename Integer>
  void take(const std::string& key, const Json& value, Integer& out) {
    const auto most = static_cast<uint64_t>(std::numeric_limits<Integer>::max());
    if (const auto read = number(key, value, most)) out = static_cast<Integer>(*read);
  }

  JsonDocument& document_;
  const Json& object_;
  std::string place_;
  std::set<std::string> known_;  // the members that were asked for
};

}  // namespace orch::base
