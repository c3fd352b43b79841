#include "adapters/mcp.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/replace.h"
#include "base/text.h"

namespace orch::adapters {
namespace {

using base::Json;
using base::JsonMembers;

constexpr const char* kServers = "mcpServers";
constexpr const char* kOwnName = "orch";  // agents use its tools without asking
constexpr size_t kMostServers = 64;
constexpr size_t kMostNameBytes = 64;

std::vector<std::string> words_of(const McpServer& server) {
  std::vector<std::string> words{server.command};
  words.insert(words.end(), server.args.begin(), server.args.end());
  return words;
}

std::string filled_in(std::string text, const McpServer& server, const std::string& settings_file) {
  base::replace_all(text, "{name}", server.name);
  base::replace_all(text, "{command}", base::json_line(server.command));
  base::replace_all(text, "{args}", base::json_line(Json(server.args)));
  base::replace_all(text, "{words}", base::json_line(Json(words_of(server))));
  base::replace_all(text, "{settings}", settings_file);
  return text;
}

McpServer read_server(JsonMembers& parent, const std::string& name, const Json& json) {
  McpServer server;
  server.name = name;
  const std::string place = std::string(kServers) + "." + base::printable(name);
  if (!is_mcp_name(name)) {
    parent.fail(place, "a name has at most 64 letters, digits, \"_\" and \"-\"");
    return server;
  }
  if (name == kOwnName) {
    parent.fail(place, "that is the name of orch's own server: take another");
    return server;
  }
  JsonMembers in(parent, json, place);
  std::string type = "stdio";
  in.optional("type", type);
  if (type != "stdio" || in.has("url")) {
    in.fail("", "only a server with a command can be passed on, not one behind a URL");
  }
  in.required("command", server.command);
  in.optional("args", server.args);
  in.optional("env", server.env);
  if (in.ok() && server.command.empty()) in.fail("command", "is empty");
  return server;
}

}  // namespace

bool is_mcp_name(const std::string& text) {
  return !text.empty() && text.size() <= kMostNameBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return base::is_letter_or_digit(c) || c == '_' || c == '-'; });
}

McpWords words_for(const McpSpec& spec, const McpServer& server, const std::string& settings_file) {
  McpWords words;
  for (const std::string& word : spec.arguments) {
    words.arguments.push_back(filled_in(word, server, settings_file));
  }
  for (const auto& [name, value] : spec.env) {
    words.env[name] = filled_in(value, server, settings_file);
  }
  words.settings = filled_in(spec.settings, server, settings_file);
  return words;
}

base::Result<std::vector<McpServer>> read_mcp_servers(const std::string& what,
                                                      const std::string& text) {
  base::JsonDocument document(what, text, base::JsonAuthor::kProgram);
  JsonMembers in(document);
  std::vector<McpServer> servers;
  const Json* list = in.find(kServers);
  if (list == nullptr || !list->is_object()) {
    in.fail(kServers, "must be an object with a member for each server");
  } else if (list->size() > kMostServers) {
    in.fail(kServers, "has more than " + std::to_string(kMostServers) + " servers");
  } else {
    for (const auto& [name, json] : list->items()) servers.push_back(read_server(in, name, json));
  }
  return document.finish(std::move(servers));
}

std::string mcp_text(const std::vector<McpServer>& servers) {
  Json list = Json::object();
  for (const McpServer& server : servers) {
    list[server.name] =
        Json{{"command", server.command}, {"args", server.args}, {"env", server.env}};
  }
  return base::json_line(Json{{kServers, std::move(list)}});
}

}  // namespace orch::adapters
