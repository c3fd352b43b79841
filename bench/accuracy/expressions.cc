#include "accuracy/expressions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"

namespace orch::accuracy {
namespace {

using base::Json;

// Members of a manifest with expressions over what is drawn. Of `input` it is one text.
constexpr std::array kParts = {"box", "user_message", "rules", "dialogs", "transcript"};
// Members in these parts that hold names, places or characters, and no expression.
constexpr std::array kOther = {"about",   "action",  "id",      "kind",   "tool",
                               "edge",    "means",   "in",      "status", "cause",
                               "colored", "options", "between", "breaks"};

bool is_other(std::string_view name) {
  return std::find(kOther.begin(), kOther.end(), name) != kOther.end();
}

std::string inside(const std::string& place, const std::string& name) {
  return place.empty() ? name : place + "." + name;
}

void collect(const Json& json, const std::string& place, std::vector<PlacedExpression>& found) {
  if (json.is_string()) {
    const std::string expression = json.get<std::string>();
    if (!expression.empty()) found.push_back({place, expression});
  } else if (json.is_array()) {
    for (const Json& element : json) collect(element, place, found);
  } else if (json.is_object()) {
    const auto id = json.find("id");
    const bool named = id != json.end() && id->is_string();
    const std::string here = named ? inside(place, id->get<std::string>()) : place;
    for (const auto& [name, value] : json.items()) {
      if (value.is_string() && is_other(name)) continue;
      collect(value, inside(here, name), found);
    }
  }
}

}  // namespace

base::Result<std::vector<PlacedExpression>> placed_expressions(std::string_view manifest) {
  const Json json = base::parse_json(manifest);
  if (!json.is_object()) return base::usage_error("not a JSON object");
  std::vector<PlacedExpression> found;
  for (const char* part : kParts) {
    if (const auto member = json.find(part); member != json.end()) collect(*member, part, found);
  }
  if (const auto input = json.find("input"); input != json.end() && input->is_object()) {
    constexpr auto kPlaceholder = "paste_placeholder";
    if (const auto member = input->find(kPlaceholder); member != input->end()) {
      collect(*member, inside("input", kPlaceholder), found);
    }
  }
  return found;
}

}  // namespace orch::accuracy
