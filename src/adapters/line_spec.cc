#include "adapters/line_spec.h"

#include "base/json_members.h"

namespace orch::adapters {

using base::Json;
using base::JsonMembers;

void check_way(JsonMembers& in, const std::string& key, const std::string& way) {
  if (!way.starts_with('/')) in.fail(key, "\"" + way + "\" must begin with /");
}

void read_way(JsonMembers& in, const std::string& key, std::string& way) {
  in.optional(key, way);
  if (in.has(key)) check_way(in, key, way);
}

void read_ways(JsonMembers& in, const std::string& key, std::vector<std::string>& ways) {
  in.optional(key, ways);
  for (const std::string& way : ways) check_way(in, key, way);
}

void read_line_conditions(JsonMembers& parent, const std::string& key, LineConditions& conditions) {
  const Json* json = parent.find(key);
  if (json == nullptr) return;
  if (!json->is_object()) return parent.fail(key, "must be an object of members and values");
  JsonMembers in(parent, *json, parent.place_of(key));
  for (const auto& [way, value] : json->items()) {
    check_way(in, way, way);
    if (!value.is_boolean()) {
      in.optional(way, conditions.emplace_back(way, "").second);
    } else if (in.has(way)) {
      conditions.emplace_back(way, value.get<bool>() ? "true" : "false");
    }
  }
}

void read_counts(JsonMembers& in, UsageSpec& usage) {
  read_ways(in, "in", usage.in);
  read_ways(in, "out", usage.out);
  read_ways(in, "cached", usage.cached);
  read_way(in, "cost", usage.cost);
  bool conversation = false, process = false;
  in.optional("accumulates", conversation);
  in.optional("accumulates_in_process", process);
  if (process) usage.since = UsageSpec::Since::kProcess;
  if (conversation) usage.since = UsageSpec::Since::kConversation;
}

}  // namespace orch::adapters
