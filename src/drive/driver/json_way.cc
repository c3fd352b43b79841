#include "driver/json_way.h"

#include <algorithm>

#include "adapters/headless_spec.h"
#include "base/json.h"

namespace orch::driver {

AgentJson parse_agent_json(std::string_view text, JsonComments comments) {
  if (base::nests_too_deep(text)) return AgentJson(AgentJson::value_t::discarded);
  return AgentJson::parse(text, nullptr, /*allow_exceptions=*/false,
                          comments == JsonComments::kIgnored);
}

std::string as_json(const AgentJson& json) {
  return json.dump(-1, ' ', false, AgentJson::error_handler_t::replace);
}

const AgentJson* member_of(const AgentJson& line, std::string_view way) {
  const AgentJson* at = way.empty() ? nullptr : &line;
  while (at != nullptr && !way.empty()) {
    way.remove_prefix(1);  // the slash
    const std::string_view name = way.substr(0, way.find('/'));
    way.remove_prefix(name.size());
    if (!at->is_object()) return nullptr;
    const auto found = at->find(name);
    at = found == at->end() ? nullptr : &*found;
  }
  return at;
}

const std::string* text_of(const AgentJson& line, std::string_view way) {
  const AgentJson* member = member_of(line, way);
  return member == nullptr ? nullptr : member->get_ptr<const std::string*>();
}

bool has_value(const AgentJson& line, const std::string& way, const std::string& value) {
  const AgentJson* member = member_of(line, way);
  if (member == nullptr) return false;
  if (member->is_boolean()) return value == (member->get<bool>() ? "true" : "false");
  return member->is_string() && member->get_ref<const std::string&>() == value;
}

bool holds(const adapters::LineConditions& conditions, const AgentJson& line) {
  return std::all_of(conditions.begin(), conditions.end(), [&line](const auto& condition) {
    const auto& [way, value] = condition;
    if (value != adapters::HeadlessSpec::kAny) return has_value(line, way, value);
    const AgentJson* member = member_of(line, way);
    return member != nullptr && !member->is_null();
  });
}

}  // namespace orch::driver
