#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jsonrpc/message.h"

// The parts of a request for a session that become options of its run. Pure.
namespace orch::acp {

struct SessionOptions {
  std::string mcp_config;            // the client's MCP servers, as the file of --mcp-config; ""
  std::vector<std::string> folders;  // more than the working directory, absolute
};

// Reads `mcpServers` and `additionalDirectories`. Servers' names are changed so that every agent
// accepts them. An error is one line that names the server or the folder.
base::Result<SessionOptions> session_options_of(const jsonrpc::Members& params);

}  // namespace orch::acp
