#include "adapters/gateway_spec.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "adapters/members.h"
#include "base/json.h"
#include "base/replace.h"
#include "base/text.h"
#include "base/words.h"

namespace orch::adapters {
namespace {

using base::Json;
using Is = GatewaySpec::Kind::Is;

constexpr base::Words<Is, 5> kKinds{{{Is::kTurn, "turn"},
                                     {Is::kSubagent, "subagent"},
                                     {Is::kTitle, "title"},
                                     {Is::kCompact, "compact"},
                                     {Is::kSide, "side"}}};

void route_members(Members& in, GatewaySpec::Route& route) {
  in.optional("arguments", route.arguments, "words, without the secret");
  in.optional("env", route.env, "variables");
  in.settings("settings", route.settings, "settings");
  for (const std::string& word : route.arguments) {
    for (const char* hole : {"{secret}", "{url}"}) {
      if (word.find(hole) != std::string::npos) {
        in.fail("arguments", std::string(hole) + " would show the secret to ps");
      }
    }
  }
}

void config_members(Members& in, GatewaySpec::Config& config) {
  in.required("file", config.file, ".json, .toml or .env");
  in.optional("provider", config.provider, "way to the provider's name");
  in.optional("builtin", config.builtin, "name of the vendor's own provider");
  in.required("address", config.address, "way to the address, with `{provider}`");
}

void elsewhere_members(Members& in, GatewaySpec::Elsewhere& one) {
  in.optional("header", one.header, "header of the requests");
  in.optional("path", one.path, "or path above them");
  in.required("address", one.address, "their address");
}

void gateway_key_members(Members& in, GatewaySpec::Key& key) {
  in.required("variable", key.variable, "variable with the key");
  in.required("header", key.header, "header that carries it");
  in.optional("prefix", key.prefix, "text before it");
}

void kind_members(Members& in, GatewaySpec::Kind& kind) {
  in.required_word("is", kKinds, kind.is, "kind");
  in.optional("header", kind.header, "header that it has");
  in.pattern("match", kind.match, "header's value");
  in.optional("tools", kind.tools, "it offers tools to the model");
}

// The value of a line `key = "text"` or `key = 'text'`, with or without quotes around the key.
std::optional<std::string> toml_text(std::string_view line, std::string_view key) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  std::string_view name = base::trim(line.substr(0, equals));
  if (name.size() >= 2 && (name.front() == '"' || name.front() == '\'')) {
    name = name.substr(1, name.size() - 2);
  }
  const std::string_view value = base::trim(line.substr(equals + 1));
  if (name != key || value.empty() || (value[0] != '"' && value[0] != '\'')) return std::nullopt;
  const size_t end = value.find(value[0], 1);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(value.substr(1, end - 1));
}

// The name of the table in a header line, with dots between its parts and without quotes.
std::optional<std::string> toml_table(std::string_view line) {
  if (!line.starts_with('[')) return std::nullopt;
  std::string name;  // of an array "[[x]]" it begins with a bracket, which no way does
  for (const char c : line.substr(1, line.find(']') - 1)) {
    if (c != '"' && c != '\'' && c != ' ') name += c;
  }
  return name;
}

std::string toml_value(std::string_view text, std::string_view way) {
  const size_t slash = way.rfind('/');
  const std::string_view key = way.substr(slash + 1);
  std::string wanted(way.substr(std::min<size_t>(1, slash), slash - std::min<size_t>(1, slash)));
  std::string table;
  base::replace_all(wanted, "/", ".");
  for (std::string_view line : base::split_lines(text)) {
    line = base::trim(line);
    if (auto name = toml_table(line)) table = std::move(*name);
    if (table != wanted) continue;
    if (auto value = toml_text(line, key)) return std::move(*value);
  }
  return "";
}

std::string json_value(std::string_view text, std::string_view way) {
  const Json json = base::parse_json(text);
  const Json* at = &json;
  while (!way.empty()) {
    way.remove_prefix(1);
    const std::string name(way.substr(0, way.find('/')));
    way.remove_prefix(name.size());
    if (!at->is_object() || !at->contains(name)) return "";
    at = &at->at(name);
  }
  return at->is_string() ? at->get<std::string>() : "";
}

std::string line_value(std::string_view text, std::string_view way) {
  const std::string name = std::string(way.substr(1)) + "=";
  std::string found;
  for (std::string_view line : base::split_lines(text)) {
    line = base::trim(line);
    if (line.starts_with("export ")) line = base::trim(line.substr(7));
    if (!line.starts_with(name)) continue;
    line = base::trim(line.substr(name.size()));
    const bool quoted = line.size() >= 2 && (line[0] == '"' || line[0] == '\'');
    found = quoted ? line.substr(1, line.size() - 2) : line;
  }
  return found;
}

}  // namespace

std::string_view name(Is kind) { return base::word_of(kKinds, kind); }

void gateway_members(Members& in, GatewaySpec& gateway) {
  in.optional("address", gateway.address, "vendor's address; may be empty");
  in.require("address");
  in.optional("variables", gateway.variables, "variables with the user's address");
  in.object("config", gateway.config, config_members, "user's file with that address");
  in.optional("own_provider", gateway.own_provider, "`{provider}` of orch's own route");
  route_members(in, gateway.route);
  in.object("provider_route", gateway.provider_route, route_members,
            "route where `config` names a provider");
  in.list("elsewhere", gateway.elsewhere, elsewhere_members, "requests to other addresses");
  in.list("keys", gateway.keys, gateway_key_members, "keys that the gateway can add");
  in.object("dummy", gateway.dummy, route_members, "`{secret}` in place of a key");
  in.optional("blind", gateway.blind, "variables that lead past the gateway, and why");
  in.list("kinds", gateway.kinds, kind_members, "kinds of requests; the first counts");
  if (!gateway.any()) in.fail("", "leads the agent nowhere: it needs arguments, env or settings");
}

std::string filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) base::replace_all(text, "{" + name + "}", value);
  return text;
}

GatewaySpec::Route filled(const GatewaySpec::Route& route,
                          const std::map<std::string, std::string>& values) {
  GatewaySpec::Route out;
  for (const std::string& word : route.arguments) out.arguments.push_back(filled(word, values));
  for (const auto& [name, value] : route.env) out.env[name] = filled(value, values);
  out.settings = filled(route.settings, values);
  return out;
}

std::string config_value(std::string_view text, std::string_view ending, std::string_view way) {
  if (!way.starts_with('/')) return "";
  if (ending == ".json") return json_value(text, way);
  if (ending == ".toml") return toml_value(text, way);
  return line_value(text, way);
}

}  // namespace orch::adapters
