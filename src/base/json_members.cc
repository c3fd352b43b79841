#include "base/json_members.h"

#include <algorithm>

#include "base/name.h"
#include "base/text.h"

namespace orch::base {
namespace {

// The way from a value to one inside of it, which is known by its address.
std::optional<std::string> way_to(const Json& from, const Json* wanted) {
  if (&from == wanted) return "";
  if (!from.is_structured()) return std::nullopt;
  for (const auto& [key, value] : from.items()) {
    const std::optional<std::string> rest = way_to(value, wanted);
    if (!rest) continue;
    const std::string name = from.is_array() ? "[" + key + "]" : key;
    return name + (rest->empty() || rest->starts_with('[') ? "" : ".") + *rest;
  }
  return std::nullopt;
}

}  // namespace

JsonDocument::JsonDocument(std::string_view what, std::string_view text, JsonAuthor author,
                           const JsonLimits& limits)
    : what_(what), author_(author), limits_(limits) {
  if (text.size() > limits.bytes) {
    fail("more than " + std::to_string(limits.bytes) + " bytes");
    return;
  }
  switch (shape_of_json(text, limits.depth)) {
    case JsonShape::kTooDeep:
      fail("nested more than " + std::to_string(limits.depth) + " deep");
      return;
    case JsonShape::kTooWide:
      fail("an object of more than " + std::to_string(kMostJsonMembers) + " members");
      return;
    case JsonShape::kFits:
      break;
  }
  json_ = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json_.is_discarded()) fail("not valid JSON");
}

void JsonDocument::fail(const std::string& text) {
  if (error_) return;
  error_ = usage_error((what_.empty() ? "" : what_ + ": ") + printable(text));
}

void JsonDocument::fail_in(const Json& object, const std::string& key, const std::string& text) {
  if (error_) return;
  fail(text);
  way_ = way_to(json_, &object).value_or("");
  if (!key.empty()) way_ += (way_.empty() ? "" : ".") + key;
}

JsonMembers::JsonMembers(JsonDocument& document) : document_(document), object_(document.json_) {
  if (!is_object()) fail("", "must be an object");
}

JsonMembers::JsonMembers(const JsonMembers& parent, const Json& object, std::string place)
    : document_(parent.document_), object_(object), place_(std::move(place)) {
  if (!is_object()) fail("", "must be an object");
}

JsonMembers::~JsonMembers() {
  if (document_.author_ != JsonAuthor::kPerson || !ok() || !is_object()) return;
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  for (const auto& [key, value] : object_.items()) {
    if (!known_.contains(key)) fail(key, "unknown field" + did_you_mean(key, known));
  }
}

const Json* JsonMembers::find(const std::string& key) {
  const bool program = document_.author_ == JsonAuthor::kProgram;
  if (!program) known_.insert(key);
  if (!ok()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || (program && found->is_null()) ? nullptr : &*found;
}

std::string JsonMembers::place_of(const std::string& key) const {
  if (place_.empty()) return key;
  if (key.empty()) return place_;
  return place_ + (place_.ends_with(':') ? " " : ".") + key;
}

void JsonMembers::fail(const std::string& key, const std::string& what) {
  const std::string place = place_of(key);
  if (place.empty()) return document_.fail(what);
  document_.fail_in(object_, key, place + (place.ends_with(':') ? " " : ": ") + what);
}

void JsonMembers::take(const std::string& key, const Json& value, std::string& out) {
  if (!value.is_string()) return fail(key, "must be a string");
  out = value.get<std::string>();
}

void JsonMembers::take(const std::string& key, const Json& value, bool& out) {
  if (!value.is_boolean()) return fail(key, "must be true or false");
  out = value.get<bool>();
}

void JsonMembers::take(const std::string& key, const Json& value, double& out) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    return fail(key, "must be a number");
  }
  out = value.get<double>();
}

void JsonMembers::json(const std::string& key, std::string& out) {
  const Json* value = find(key);
  if (value != nullptr && !value->is_null()) out = json_line(*value);
}

void JsonMembers::either(const std::string& key, std::string_view /*no*/, std::string_view yes,
                         bool& out) {
  std::string word;
  optional(key, word);
  out = word == yes;
}

void JsonMembers::take(const std::string& key, const Json& value, std::vector<std::string>& out) {
  const auto is_string = [](const Json& item) { return item.is_string(); };
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_string)) {
    return fail(key, "must be an array of strings");
  }
  out = value.get<std::vector<std::string>>();
}

void JsonMembers::take(const std::string& key, const Json& value,
                       std::map<std::string, std::string>& out) {
  if (!value.is_object()) return fail(key, "must be an object of strings");
  std::map<std::string, std::string> read;
  for (const auto& [name, text] : value.items()) take(key + "." + name, text, read[name]);
  if (ok()) out = std::move(read);
}

std::optional<uint64_t> JsonMembers::number(const std::string& key, const Json& value,
                                            uint64_t most) {
  most = std::min(most, document_.limits_.number);
  if (value.is_number_unsigned() && value.get<uint64_t>() <= most) return value.get<uint64_t>();
  fail(key, "must be a whole number from 0 to " + std::to_string(most));
  return std::nullopt;
}

}  // namespace orch::base
