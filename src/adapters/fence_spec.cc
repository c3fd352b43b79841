#include "adapters/fence_spec.h"

#include <algorithm>

#include "adapters/pattern_member.h"
#include "base/json.h"
#include "base/json_members.h"

namespace orch::adapters {
namespace {

using base::Json;
using base::JsonMembers;

FenceSpec::Watched read_watched(const JsonMembers& parent, const Json& json, size_t index) {
  FenceSpec::Watched watched;
  JsonMembers in(parent, json, parent.place_of("watched[" + std::to_string(index) + "]"));
  in.required("path", watched.path);
  in.optional("members", watched.members);
  read_pattern(in, "ignore", watched.ignore);
  return watched;
}

// An object of settings as JSON text; "" if there is none.
std::string read_settings(JsonMembers& in) {
  const Json* settings = in.find("settings");
  if (settings == nullptr) return "";
  if (settings->is_object()) return settings->dump();
  in.fail("settings", "must be an object");
  return "";
}

FenceSpec::Key read_key(const JsonMembers& parent, const Json& json) {
  FenceSpec::Key key;
  JsonMembers in(parent, json, parent.place_of("key"));
  in.required("variable", key.variable);
  in.required("file", key.file);
  in.required("last", key.last);
  if (key.last < 1) in.fail("last", "must be at least 1");
  key.settings = read_settings(in);
  if (key.settings.empty()) in.fail("settings", "is missing");
  return key;
}

bool is_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Removes the text up to `end`, and `end` itself, from `text` and returns it without `end`; all of
// the text if `end` is not in it.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  return taken;
}

std::optional<std::string> replaced(std::string_view path, const Variables& variables) {
  std::string out;
  while (!path.empty()) {
    if (path[0] != '$') {
      out += path[0];
      path.remove_prefix(1);
      continue;
    }
    path.remove_prefix(1);
    std::string value;
    if (path.starts_with('{')) {
      path.remove_prefix(1);
      std::string_view inner = take_until(path, "}");
      value = variables(take_until(inner, ":-"));
      if (value.empty()) value = replaced(inner, variables).value_or("");
    } else {
      const auto* end = std::find_if_not(path.begin(), path.end(), is_name);
      const auto length = static_cast<size_t>(end - path.begin());
      value = variables(path.substr(0, length));
      path.remove_prefix(length);
    }
    if (value.empty()) return std::nullopt;
    out += value;
  }
  return out;
}

}  // namespace

void read_fence(JsonMembers& parent, FenceSpec& fence) {
  const Json* json = parent.find("fence");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "fence");
  std::string about;
  in.optional("about", about);
  in.optional("folders", fence.folders);
  in.optional("files", fence.files);
  in.optional("secrets", fence.secrets);
  in.optional("reads", fence.reads);
  in.optional("arguments", fence.arguments);
  fence.settings = read_settings(in);
  in.optional("env", fence.env);
  if (const Json* key = in.find("key")) fence.key = read_key(in, *key);
  const Json* watched = in.find("watched");
  if (watched == nullptr) return;
  if (!watched->is_array()) return in.fail("watched", "must be an array");
  for (size_t i = 0; i < watched->size() && in.ok(); ++i) {
    fence.watched.push_back(read_watched(in, (*watched)[i], i));
  }
}

std::string merged_settings(const std::string& settings, const std::string& more) {
  if (settings.empty() || more.empty()) return settings + more;
  Json merged = base::parse_json(settings);  // both were read from a manifest
  merged.merge_patch(base::parse_json(more));
  return merged.dump(2);
}

std::optional<std::string> expanded(std::string_view path, const Variables& variables) {
  std::optional<std::string> out = replaced(path, variables);
  if (!out || !out->starts_with('/')) return std::nullopt;
  return out;
}

}  // namespace orch::adapters
