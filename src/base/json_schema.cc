#include "base/json_schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/json.h"
#include "base/pattern.h"
#include "base/text.h"

namespace orch::base {
namespace {

// The form of a keyword's value.
enum class Form {
  kNote,     // says nothing about values
  kAny,      // any value
  kTypes,    // the name of a type, or a list of names
  kList,     // a list
  kNames,    // a list of texts
  kSchema,   // a schema
  kSchemas,  // a list of schemas
  kMembers,  // an object of schemas
  kNumber,
  kCount,  // a whole number, not negative
  kFlag,
  kPattern,
  kRef,
};
struct Keyword {
  std::string_view name;
  Form form;
};
constexpr auto kKeywords = std::to_array<Keyword>({
    {"type", Form::kTypes},
    {"enum", Form::kList},
    {"const", Form::kAny},
    {"properties", Form::kMembers},
    {"required", Form::kNames},
    {"additionalProperties", Form::kSchema},
    {"minProperties", Form::kCount},
    {"maxProperties", Form::kCount},
    {"items", Form::kSchema},
    {"minItems", Form::kCount},
    {"maxItems", Form::kCount},
    {"uniqueItems", Form::kFlag},
    {"minimum", Form::kNumber},
    {"maximum", Form::kNumber},
    {"exclusiveMinimum", Form::kNumber},
    {"exclusiveMaximum", Form::kNumber},
    {"minLength", Form::kCount},
    {"maxLength", Form::kCount},
    {"pattern", Form::kPattern},
    {"anyOf", Form::kSchemas},
    {"oneOf", Form::kSchemas},
    {"allOf", Form::kSchemas},
    {"not", Form::kSchema},
    {"$ref", Form::kRef},
    {"$defs", Form::kMembers},
    {"definitions", Form::kMembers},
    {"$schema", Form::kNote},
    {"$id", Form::kNote},
    {"$comment", Form::kNote},
    {"title", Form::kNote},
    {"description", Form::kNote},
    {"default", Form::kNote},
    {"examples", Form::kNote},
});
constexpr auto kTypes = std::to_array<std::string_view>(
    {"null", "boolean", "object", "array", "number", "string", "integer"});
// Of one value: of schemas inside of each other, references included, and in all.
constexpr int kMostLevels = 200;
constexpr int kMostSteps = 1'000'000;
constexpr size_t kShownValue = 100;

bool is_type(const Json& value, std::string_view type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (!value.is_number()) return false;
  return value.is_number_integer() || value.get<double>() == std::floor(value.get<double>());
}

// Equal values: the order of members says nothing.
bool is_same(const Json& one, const Json& other) {
  return nlohmann::json(one) == nlohmann::json(other);
}
bool is_among(const Json& value, Json::const_iterator from, Json::const_iterator to) {
  return std::any_of(from, to, [&value](const Json& one) { return is_same(one, value); });
}

// The place of a member of a value or a schema, as a JSON Pointer.
std::string place_of(const std::string& parent, const std::string& name) {
  std::string place = parent + "/";
  for (const char byte : name) {
    if (byte == '~' || byte == '/') {
      place += byte == '~' ? "~0" : "~1";
    } else {
      place += byte;
    }
  }
  return printable(place);
}

std::string shown(const Json& value) {
  const std::string whole = json_line(value);
  const std::string_view part = beginning(whole, kShownValue);
  return std::string(part) + (part.size() < whole.size() ? "…" : "");
}

// The schema that a reference means; nullptr if there is none.
const Json* target_of(const Json& root, const std::string& reference) {
  if (reference == "#") return &root;
  for (const std::string folder : {"$defs", "definitions"}) {
    const std::string start = "#/" + folder + "/";
    if (!reference.starts_with(start) || !root.is_object() || !root.contains(folder)) continue;
    const auto found = root[folder].find(reference.substr(start.size()));
    if (found != root[folder].end()) return &*found;
  }
  return nullptr;
}

// ---- the schema itself

class SchemaCheck {
 public:
  explicit SchemaCheck(const Json& root) : root_(root) {}

  Status check(const Json& schema, const std::string& place) const {
    if (schema.is_boolean()) return Ok{};
    if (!schema.is_object()) return wrong(place, "a schema is an object, true or false");
    for (auto member = schema.begin(); member != schema.end(); ++member) {
      const std::string& name = member.key();
      const Json& value = member.value();
      const auto keyword =
          std::ranges::find_if(kKeywords, [&name](const Keyword& one) { return one.name == name; });
      if (keyword == kKeywords.end()) {
        return wrong(place, printable(name) + " is no keyword that orch checks; it checks " +
                                json_schema_keywords());
      }
      if (Status s = check_value(keyword->form, value, place_of(place, name)); !s) return s;
    }
    return Ok{};
  }

 private:
  static Status wrong(const std::string& place, const std::string& what) {
    return usage_error((place.empty() ? "the schema" : place) + ": " + what);
  }

  Status check_each(const Json& schemas, const std::string& place) const {
    for (const auto& [name, schema] : schemas.items()) {
      if (Status s = check(schema, place_of(place, name)); !s) return s;
    }
    return Ok{};
  }

  Status check_value(Form form, const Json& value, const std::string& place) const {
    const auto is_text = [](const Json& one) { return one.is_string(); };
    const auto names_type = [](const Json& one) {
      return one.is_string() && std::ranges::find(kTypes, one.get<std::string>()) != kTypes.end();
    };
    switch (form) {
      case Form::kNote:
      case Form::kAny:
        return Ok{};
      case Form::kTypes:
        if (names_type(value) || (value.is_array() && std::ranges::all_of(value, names_type))) {
          return Ok{};
        }
        return wrong(place, "names no type");
      case Form::kList:
        return value.is_array() ? Status(Ok{}) : wrong(place, "must be a list");
      case Form::kNames:
        if (value.is_array() && std::ranges::all_of(value, is_text)) return Ok{};
        return wrong(place, "must be a list of texts");
      case Form::kSchema:
        return check(value, place);
      case Form::kSchemas:
        if (!value.is_array() || value.empty()) return wrong(place, "must be a list of schemas");
        return check_each(value, place);
      case Form::kMembers:
        if (!value.is_object()) return wrong(place, "must be an object of schemas");
        return check_each(value, place);
      case Form::kNumber:
        return value.is_number() ? Status(Ok{}) : wrong(place, "must be a number");
      case Form::kCount:
        return value.is_number_unsigned() ? Status(Ok{}) : wrong(place, "must be a count");
      case Form::kFlag:
        return value.is_boolean() ? Status(Ok{}) : wrong(place, "must be true or false");
      case Form::kPattern: {
        if (!value.is_string()) return wrong(place, "must be a text");
        const auto pattern = Pattern::compile(value.get<std::string>());
        return pattern ? Status(Ok{}) : wrong(place, pattern.error().text);
      }
      case Form::kRef:
        if (value.is_string() && target_of(root_, value.get<std::string>()) != nullptr) return Ok{};
        return wrong(place, "refers to nothing in #/$defs of this schema");
    }
    return Ok{};
  }

  const Json& root_;
};

// ---- a value

class ValueCheck {
 public:
  explicit ValueCheck(const Json& root) : root_(root) {}

  // Why the value does not fit; "" if it does.
  std::string why_not(const Json& schema, const Json& value, const std::string& place) {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : said(place, "must not be there");
    if (level_ == kMostLevels || steps_ == kMostSteps) {
      return said(place, "the schema takes too long to check");
    }
    ++level_;
    ++steps_;
    std::string why;
    for (const auto& [name, wanted] : schema.items()) {
      why = by_keyword(name, wanted, schema, value, place);
      if (!why.empty()) break;
    }
    --level_;
    return why;
  }

 private:
  static std::string said(const std::string& place, const std::string& what) {
    return (place.empty() ? "the value" : place) + ": " + what;
  }

  std::string by_keyword(const std::string& name, const Json& wanted, const Json& schema,
                         const Json& value, const std::string& place) {
    if (name == "type") return by_type(wanted, value, place);
    if (name == "enum") {
      return is_among(value, wanted.begin(), wanted.end())
                 ? ""
                 : said(place, shown(value) + " is none of " + shown(wanted));
    }
    if (name == "const")
      return is_same(value, wanted) ? "" : said(place, "is not " + shown(wanted));
    if (name == "$ref") {
      return why_not(*target_of(root_, wanted.get<std::string>()), value, place);
    }
    if (name == "allOf" || name == "anyOf" || name == "oneOf" || name == "not") {
      return by_others(name, wanted, value, place);
    }
    if (value.is_object()) return by_members(name, wanted, schema, value, place);
    if (value.is_array()) return by_items(name, wanted, value, place);
    if (value.is_string()) return by_text(name, wanted, value.get<std::string>(), place);
    if (value.is_number()) return by_number(name, wanted, value.get<double>(), place);
    return "";
  }

  static std::string by_type(const Json& wanted, const Json& value, const std::string& place) {
    std::vector<std::string> types;
    if (wanted.is_string()) {
      types.push_back(wanted.get<std::string>());
    } else {
      types = wanted.get<std::vector<std::string>>();
    }
    std::string all;
    for (const std::string& type : types) {
      if (is_type(value, type)) return "";
      all += (all.empty() ? "" : " or ") + type;
    }
    return said(place, shown(value) + " is not of type " + all);
  }

  std::string by_others(const std::string& name, const Json& wanted, const Json& value,
                        const std::string& place) {
    if (name == "not") {
      return why_not(wanted, value, place).empty() ? said(place, "fits what it must not") : "";
    }
    size_t fits = 0;
    std::string first;
    for (const Json& schema : wanted) {
      const std::string why = why_not(schema, value, place);
      fits += why.empty() ? 1 : 0;
      if (first.empty()) first = why;
    }
    if (name == "allOf") return fits == wanted.size() ? "" : first;
    if (fits == 0) return said(place, "fits none of " + name + " (" + first + ")");
    return name == "anyOf" || fits == 1 ? "" : said(place, "fits more than one of oneOf");
  }

  std::string by_members(const std::string& name, const Json& wanted, const Json& schema,
                         const Json& value, const std::string& place) {
    if (name == "required") {
      for (const Json& member : wanted) {
        const std::string key = member.get<std::string>();
        if (!value.contains(key)) return said(place, "has no member \"" + printable(key) + "\"");
      }
    } else if (name == "properties") {
      for (const auto& [key, of_member] : wanted.items()) {
        if (!value.contains(key)) continue;
        if (std::string why = why_not(of_member, value[key], place_of(place, key)); !why.empty()) {
          return why;
        }
      }
    } else if (name == "additionalProperties") {
      for (const auto& [key, member] : value.items()) {
        if (schema.contains("properties") && schema["properties"].contains(key)) continue;
        if (std::string why = why_not(wanted, member, place_of(place, key)); !why.empty()) {
          return why;
        }
      }
    } else if (name == "minProperties" || name == "maxProperties") {
      return by_count(name.starts_with("min"), wanted, value.size(), "members", place);
    }
    return "";
  }

  std::string by_items(const std::string& name, const Json& wanted, const Json& value,
                       const std::string& place) {
    if (name == "items") {
      for (size_t n = 0; n < value.size(); ++n) {
        std::string why = why_not(wanted, value[n], place_of(place, std::to_string(n)));
        if (!why.empty()) return why;
      }
    } else if (name == "uniqueItems" && wanted.get<bool>()) {
      for (size_t n = 1; n < value.size(); ++n) {
        const auto here = value.begin() + static_cast<long>(n);
        if (is_among(*here, value.begin(), here)) {
          return said(place, shown(*here) + " stands there twice");
        }
      }
    } else if (name == "minItems" || name == "maxItems") {
      return by_count(name.starts_with("min"), wanted, value.size(), "items", place);
    }
    return "";
  }

  static std::string by_text(const std::string& name, const Json& wanted, const std::string& text,
                             const std::string& place) {
    if (name == "minLength" || name == "maxLength") {
      const auto length = std::ranges::count_if(
          text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; });
      return by_count(name.starts_with("min"), wanted, static_cast<size_t>(length), "characters",
                      place);
    }
    if (name != "pattern") return "";
    const auto pattern = Pattern::compile(wanted.get<std::string>());
    return pattern && pattern->matches(text)
               ? ""
               : said(place, shown(text) + " does not match " + shown(wanted));
  }

  static std::string by_number(const std::string& name, const Json& wanted, double number,
                               const std::string& place) {
    if (!wanted.is_number()) return "";
    const double limit = wanted.get<double>();
    const bool fits = name == "minimum"            ? number >= limit
                      : name == "maximum"          ? number <= limit
                      : name == "exclusiveMinimum" ? number > limit
                      : name == "exclusiveMaximum" ? number < limit
                                                   : true;
    return fits ? "" : said(place, "is beyond " + name + " " + shown(wanted));
  }

  static std::string by_count(bool is_least, const Json& wanted, size_t count, const char* what,
                              const std::string& place) {
    const auto limit = wanted.get<uint64_t>();
    if (is_least ? count >= limit : count <= limit) return "";
    return said(place, "has " + std::to_string(count) + " " + what + ", and " +
                           (is_least ? "at least " : "at most ") + std::to_string(limit) +
                           " are allowed");
  }

  const Json& root_;
  int level_ = 0, steps_ = 0;
};

}  // namespace

std::string json_schema_keywords() {
  std::string all;
  for (const Keyword& keyword : kKeywords)
    all += (all.empty() ? "" : ", ") + std::string(keyword.name);
  return all;
}

JsonSchema::JsonSchema(std::unique_ptr<Json> root) : root_(std::move(root)) {}
JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;
JsonSchema& JsonSchema::operator=(JsonSchema&&) noexcept = default;
JsonSchema::~JsonSchema() = default;

Result<JsonSchema> JsonSchema::parse(std::string_view text) {
  auto root = std::make_unique<Json>(parse_json(text));
  if (root->is_discarded()) return usage_error("the schema is not JSON, or nests too deep");
  if (Status s = SchemaCheck(*root).check(*root, ""); !s) return s.error();
  return JsonSchema(std::move(root));
}

std::string JsonSchema::why_not(const Json& value) const {
  return ValueCheck(*root_).why_not(*root_, value, "");
}

std::string JsonSchema::text() const { return json_line(*root_); }

}  // namespace orch::base
