#include "driver/json_way.h"

namespace orch::driver {

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

bool is_too_deep(std::string_view line) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

bool has_value(const AgentJson& line, const std::string& way, const std::string& value) {
  const AgentJson* member = member_of(line, way);
  if (member == nullptr) return false;
  if (member->is_boolean()) return value == (member->get<bool>() ? "true" : "false");
  return member->is_string() && member->get_ref<const std::string&>() == value;
}

}  // namespace orch::driver
