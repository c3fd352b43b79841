#include "session/call_settings.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "driver/json_way.h"
#include "session/environment.h"
#include "store/file_io.h"

namespace orch::session {
namespace {

using driver::AgentJson;

constexpr size_t kMostSettingsBytes = 4 << 20;  // of a file of settings

bool is_absent(const std::string& path) {
  return ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
}

bool has_some(const AgentJson& file, const std::string& way) {
  const AgentJson* member = driver::member_of(file, way);
  return member != nullptr && !member->empty();
}

bool has_any(const AgentJson& file, const std::vector<std::string>& ways) {
  return !file.is_object() ||
         std::any_of(ways.begin(), ways.end(),
                     [&file](const std::string& way) { return has_some(file, way); });
}

// The settings in a file; no object if they cannot be read.
AgentJson settings_in(const std::string& path) {
  const base::Result<std::string> text = store::read_regular_file(path, kMostSettingsBytes);
  return driver::parse_agent_json(text ? *text : "");
}

// Adds the texts of a list in the file to the same list of `rules`.
void add_rules(const AgentJson& file, const std::string& way, AgentJson& rules) {
  const AgentJson* list = driver::member_of(file, way);
  if (list == nullptr || !list->is_array()) return;
  AgentJson& all = rules[AgentJson::json_pointer(way)];
  for (const AgentJson& rule : *list) {
    if (rule.is_string()) all.push_back(rule);
  }
}

}  // namespace

std::optional<std::string> base_settings(const adapters::CallSpec& spec,
                                         const std::vector<std::string>& env) {
  std::string path = spec.settings_base;
  for (const auto& [name, value] : spec.env) {
    if (const std::string_view own = value_in(env, name); !own.empty()) path = own;
  }
  if (spec.settings_base.empty() || is_absent(path)) return "";
  const base::Result<std::string> text = store::read_regular_file(path, kMostSettingsBytes);
  if (!text) return std::nullopt;
  const AgentJson json = driver::parse_agent_json(*text, driver::JsonComments::kIgnored);
  return json.is_object() ? std::optional(driver::as_json(json)) : std::nullopt;
}

std::string over_base(const std::string& base, const std::string& settings) {
  const AgentJson below = driver::parse_agent_json(base);
  AgentJson merged = below;
  merged.merge_patch(driver::parse_agent_json(settings));
  const auto hooks = below.find("hooks");
  if (hooks == below.end() || !hooks->is_object()) return driver::as_json(merged);
  for (const auto& [event, groups] : hooks->items()) {
    AgentJson& all = merged["hooks"][event];
    if (!groups.is_array() || !all.is_array() || all == groups) continue;
    for (const AgentJson& group : groups) all.push_back(group);
  }
  return driver::as_json(merged);
}

std::string joined_value(const std::string& before, const std::string& value) {
  const bool both = value.starts_with('{') && driver::parse_agent_json(before).is_object();
  return both ? adapters::merged_settings(before, value) : value;
}

ProjectSettings project_settings(const adapters::CallSpec& spec, const std::string& work_dir) {
  ProjectSettings found;
  AgentJson rules = AgentJson::object();
  for (const std::string& name : spec.project_files) {
    const std::string path = work_dir + "/" + name;
    if (is_absent(path)) continue;
    const AgentJson file = settings_in(path);
    found.replaces = found.replaces || has_any(file, spec.replacing);
    found.allows = found.allows || has_any(file, spec.allowing);
    for (const std::string& way : spec.rules) add_rules(file, way, rules);
  }
  found.allows = found.allows && !found.replaces;
  if (!rules.empty()) found.rules = driver::as_json(rules);
  return found;
}

std::string with_rules(const adapters::CallSpec& spec, const std::string& settings,
                       const std::string& rules) {
  AgentJson both = driver::parse_agent_json(settings);
  for (const std::string& way : spec.rules) add_rules(driver::parse_agent_json(rules), way, both);
  return driver::as_json(both);
}

bool any_allows(const adapters::CallSpec& spec, const adapters::Variables& variables) {
  return std::any_of(spec.user_files.begin(), spec.user_files.end(), [&](const std::string& name) {
    const std::optional<std::string> path = adapters::expanded(name, variables);
    return path && !is_absent(*path) && has_any(settings_in(*path), spec.allowing);
  });
}

}  // namespace orch::session
