#include "adapters/fence_spec.h"

#include <algorithm>

#include "adapters/members.h"
#include "base/json.h"

namespace orch::adapters {
namespace {

using base::Json;

void watched_members(Members& in, FenceSpec::Watched& watched) {
  in.required("path", watched.path, "file or folder");
  in.optional("members", watched.members, "members that count; missing: all");
  in.pattern("ignore", watched.ignore, "lines that do not count");
}

void approved_key_members(Members& in, FenceSpec::Key& key) {
  in.required("variable", key.variable, "variable with the key");
  in.required("file", key.file, "file of approvals");
  in.required("last", key.last, "last characters that it keeps");
  if (key.last < 1) in.fail("last", "must be at least 1");
  in.settings("settings", key.settings, "settings without approval");
  in.require("settings");
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

void fence_members(Members& in, FenceSpec& fence) {
  in.optional("folders", fence.folders, "folders that it writes");
  in.optional("files", fence.files, "files that it writes, if they exist");
  in.optional("secrets", fence.secrets, "files with its tokens");
  in.optional("reads", fence.reads, "other paths that it reads");
  in.optional("arguments", fence.arguments, "switch off its own sandbox");
  in.settings("settings", fence.settings, "settings that it needs there");
  in.optional("env", fence.env, "variables that it needs there");
  in.object("key", fence.key, approved_key_members, "key that needs approval");
  in.list("watched", fence.watched, watched_members, "files that name programs");
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
