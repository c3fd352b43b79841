#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::adapters {

// A server of the Model Context Protocol: a program that the agent starts, and that speaks on its
// standard input and output.
struct McpServer {
  std::string name;  // is_mcp_name()
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // added to the agent's own
  bool operator==(const McpServer&) const = default;
};

// Whether every agent accepts the text as a server's name: at most 64 letters, digits, "_" and "-".
bool is_mcp_name(const std::string& text);

// How the agent is given MCP servers, for one run and without touching the user's files. In the
// arguments, the values of variables and the settings, these stand for values: {name}, {command} (a
// JSON string, which is valid in TOML too), {args} and {words} (JSON lists of strings; {words} is
// the command and its arguments), and {settings} for the path of the file that holds the settings.
struct McpSpec {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> env;  // a value that is JSON is added to the present one
  std::string settings;                    // JSON text, over HookSpec::settings
  // For orch's own server alone (orch mcp): the agent is to ask nothing before it uses that.
  std::vector<std::string> own_arguments;
  std::map<std::string, std::string> own_env;
  bool own = false;  // the agent can be given orch's own server

  bool any() const { return !arguments.empty() || !env.empty() || !settings.empty(); }
};

// The words for one server. `settings_file` is the value of {settings}.
struct McpWords {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> env;
  std::string settings;
};
McpWords words_for(const McpSpec& spec, const McpServer& server,
                   const std::string& settings_file = "");

// Reads {"mcpServers": {NAME: {"command": ..., "args": [...], "env": {...}}}}, the form of
// .mcp.json. `what` begins the error's text. Servers behind a URL are refused: orch starts none.
base::Result<std::vector<McpServer>> read_mcp_servers(const std::string& what,
                                                      const std::string& text);
// The same form again.
std::string mcp_text(const std::vector<McpServer>& servers);

}  // namespace orch::adapters
