#include "acp/session_options.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/json.h"
#include "base/text.h"

namespace orch::acp {
namespace {

using base::Json;
using base::Result;
using base::usage_error;
using jsonrpc::Members;
using jsonrpc::text_in;

constexpr size_t kMostNameBytes = 48;

// A name for people ("My server") as a name for every agent ("My_server"); "orch" is orch's own.
std::string plain_name(std::string name, const Json& others) {
  for (char& c : name) {
    if (!base::is_letter_or_digit(c) && c != '-') c = '_';
  }
  if (name.empty()) name = "server";
  name.resize(std::min(name.size(), kMostNameBytes));
  std::string free = name;
  for (int n = 2; others.contains(free) || free == "orch"; ++n)
    free = name + "_" + std::to_string(n);
  return free;
}

Result<Json> server_of(const Members& given) {
  const std::string name = base::printable(text_in(given, "name"));
  const std::string command = text_in(given, "command");
  if (command.empty()) {
    return usage_error("MCP server \"" + name +
                       "\" has no command: only servers on standard input and output are taken");
  }
  Json args = Json::array(), env = Json::object();
  if (const auto list = given.find("args"); list != given.end() && list->is_array()) {
    for (const Members& word : *list) {
      if (!word.is_string()) return usage_error("MCP server \"" + name + "\": args must be texts");
      args.push_back(word.get<std::string>());
    }
  }
  if (const auto list = given.find("env"); list != given.end() && list->is_array()) {
    for (const Members& variable : *list) {
      const std::string key = text_in(variable, "name");
      if (key.empty()) return usage_error("MCP server \"" + name + "\": a variable has no name");
      env[key] = text_in(variable, "value");
    }
  }
  return Json{{"command", command}, {"args", std::move(args)}, {"env", std::move(env)}};
}

}  // namespace

Result<SessionOptions> session_options_of(const Members& params) {
  SessionOptions options;
  Json servers = Json::object();
  if (const auto list = params.find("mcpServers"); list != params.end() && list->is_array()) {
    for (const Members& given : *list) {
      Result<Json> server = server_of(given);
      if (!server) return server.error();
      const std::string name = plain_name(text_in(given, "name"), servers);
      servers[name] = std::move(server).value();
    }
  }
  if (!servers.empty()) options.mcp_config = base::json_line(Json{{"mcpServers", servers}});
  const auto folders = params.find("additionalDirectories");
  if (folders == params.end() || !folders->is_array()) return options;
  for (const Members& folder : *folders) {
    const std::string path = folder.is_string() ? folder.get<std::string>() : "";
    if (!path.starts_with('/')) {
      return usage_error("additionalDirectories: \"" + base::printable(path) +
                         "\" is not an absolute path");
    }
    options.folders.push_back(path);
  }
  return options;
}

}  // namespace orch::acp
