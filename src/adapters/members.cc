#include "adapters/members.h"

#include <algorithm>

#include "base/check.h"
#include "base/name.h"
#include "base/pattern.h"
#include "base/text.h"

namespace orch::adapters {
namespace {

using base::Json;

// The schemas of texts with a meaning, in the $defs of the schema.
Json text_of_kind(const char* kind) { return Json{{"$ref", std::string("#/$defs/") + kind}}; }

std::string no_way(const std::string& text) { return "\"" + text + "\" must begin with /"; }

std::string none_of(const std::string& text, const std::vector<std::string_view>& names) {
  std::string all;
  for (const std::string_view name : names) all.append(all.empty() ? "" : ", ").append(name);
  return "\"" + text + "\" is none of " + all + base::did_you_mean(text, names);
}

}  // namespace

Members::Members(base::JsonMembers& in) : in_(&in) {
  std::string about;
  in.optional("about", about);
}

Members::Members(Language& language, std::string place, Json& schema)
    : language_(&language), place_(std::move(place)), schema_(&schema) {}

bool Members::has(const std::string& key) {
  if (!describes()) return in_->has(key);
  language_->ask(place_, key);
  return !(*schema_)["properties"].contains(key);
}

void Members::fail(const std::string& key, const std::string& what) {
  if (!describes()) in_->fail(key, what);
}

void Members::pattern(const std::string& key, std::string& out, const char* about) {
  if (describes()) return describe(key, text_of_kind("RE2"), about);
  in_->optional(key, out);
  check_pattern(key, out);
}

void Members::required_pattern(const std::string& key, std::string& out, const char* about) {
  if (describes()) return describe(key, text_of_kind("RE2"), about, kRequired);
  pattern(key, out, about);
  if (out.empty()) fail(key, "is missing");
}

void Members::patterns(const std::string& key, std::vector<std::string>& out, const char* about) {
  constexpr size_t kMostOfAKind = 100;  // so that all kinds together stay below base::kMaxPatterns
  if (describes()) return describe(key, array_of(text_of_kind("RE2")), about);
  in_->optional(key, out);
  if (out.size() > kMostOfAKind) fail(key, "too many patterns");
  for (size_t i = 0; i < out.size(); ++i) {
    check_pattern(key + "[" + std::to_string(i) + "]", out[i]);
  }
}

void Members::check_pattern(const std::string& key, const std::string& expression) {
  if (!ok() || in_->author() == base::JsonAuthor::kProgram) return;
  const base::Result<base::Pattern> pattern = base::Pattern::compile(expression);
  if (!pattern) fail(key, pattern.error().text);
}

void Members::named_patterns(const std::string& key, const std::vector<std::string_view>& names,
                             std::vector<std::pair<std::string, std::string>>& out,
                             const char* about) {
  if (describes()) {
    Json patterns;
    for (const std::string_view name : names) patterns[std::string(name)] = text_of_kind("RE2");
    return describe(
        key,
        {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(patterns)}},
        about);
  }
  const Json* json = in_->find(key);
  if (json == nullptr) return;
  if (!json->is_object()) return fail(key, "must be an object of patterns");
  base::JsonMembers inner(*in_, *json, in_->place_of(key));
  Members in(inner);
  for (const auto& [name, pattern] : json->items()) {
    if (std::ranges::find(names, name) == names.end()) return in.fail(name, none_of(name, names));
    in.pattern(name, out.emplace_back(name, "").second, "");
  }
}

void Members::way(const std::string& key, std::string& out, const char* about) {
  if (describes()) return describe(key, text_of_kind("way"), about);
  in_->optional(key, out);
  if (in_->has(key)) check_way(key, out);
}

void Members::ways(const std::string& key, std::vector<std::string>& out, const char* about) {
  if (describes()) return describe(key, array_of(text_of_kind("way")), about);
  in_->optional(key, out);
  for (size_t i = 0; i < out.size(); ++i) check_way(key + "[" + std::to_string(i) + "]", out[i]);
}

void Members::check_way(const std::string& key, const std::string& way) {
  if (!way.starts_with('/')) fail(key, no_way(way));
}

void Members::conditions(const std::string& key, LineConditions& out, const char* about) {
  if (describes()) return describe(key, text_of_kind("conditions"), about);
  const Json* json = in_->find(key);
  if (json == nullptr) return;
  if (!json->is_object()) return fail(key, "must be an object of members and values");
  base::JsonMembers members(*in_, *json, in_->place_of(key));
  for (const auto& [way, value] : json->items()) {
    if (!way.starts_with('/')) members.fail(way, no_way(way));
    if (!value.is_boolean()) {
      members.optional(way, out.emplace_back(way, "").second);
    } else if (members.has(way)) {
      out.emplace_back(way, value.get<bool>() ? "true" : "false");
    }
  }
}

void Members::settings(const std::string& key, std::string& out, const char* about) {
  if (describes()) return describe(key, {{"type", "object"}}, about);
  const Json* settings = in_->find(key);
  if (settings == nullptr) return;
  if (!settings->is_object()) return fail(key, "must be an object");
  out = settings->dump();
}

std::optional<std::string> Members::word_of(const std::string& key,
                                            const std::vector<std::string_view>& names,
                                            const char* about) {
  if (describes()) {
    describe(key, {{"enum", names}}, about);
    return std::nullopt;
  }
  if (!in_->has(key)) return std::nullopt;
  std::string text;
  in_->optional(key, text);
  if (!ok()) return std::nullopt;
  if (std::ranges::find(names, text) != names.end()) return text;
  fail(key, none_of(text, names));
  return std::nullopt;
}

void Members::require(const std::string& key) {
  if (!describes()) {
    if (!in_->has(key)) fail(key, "is missing");
    return;
  }
  Json& required = (*schema_)["required"];
  if (std::ranges::find(required, Json(key)) == required.end()) required.push_back(key);
}

const Json* Members::value(const std::string& key, const char* schema, const char* about) {
  if (!describes()) return in_->find(key);
  describe(key, base::parse_json(schema), about);
  return nullptr;
}

void Members::describe(const std::string& key, const Json& schema, const std::string& about,
                       Presence presence) {
  Json described{{"description", about}};
  described.update(schema);
  Json& properties = (*schema_)["properties"];
  // The branches of a reader may name a member again, but with one meaning.
  ORCH_CHECK(!properties.contains(key) || properties[key] == described);
  properties[key] = std::move(described);
  if (presence == kRequired) require(key);
}

Json Members::schema_of(const std::vector<std::string>& /*out*/) {
  return array_of({{"type", "string"}});
}

Json Members::schema_of(const std::map<std::string, std::string>& /*out*/) {
  return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
}

Json Members::array_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

std::string Members::place_in_list(const std::string& key, size_t index, const Json& object,
                                   const std::string& noun) const {
  std::string place = in_->place_of(key) + "[" + std::to_string(index) + "]";
  if (noun.empty()) return place;
  const std::string id = base::text_at(object, "id");
  return id.empty() ? place + ":" : noun + " " + id + ":";
}

void Language::check_asked(const std::string& place, const Json& schema) const {
  for (const auto& [where, key] : asked_) {
    ORCH_CHECK(where != place || schema["properties"].contains(key));
  }
}

Json Language::empty_object() {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", Json::array()},
          {"properties", {{"about", {{"description", "a comment"}, {"type", "string"}}}}}};
}

}  // namespace orch::adapters
