#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch internal mcp-server FILE NAME`, which an agent starts in place of one of its MCP servers:
// becomes the server of that name in the file (adapters::read_mcp_servers()), with its variables.
int run_mcp_server(std::span<const std::string> arguments);

}  // namespace orch::duties
