#include "duties/mcp_server.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "adapters/mcp.h"
#include "base/text.h"
#include "pty/program.h"
#include "store/file_io.h"

namespace orch::duties {
namespace {

constexpr size_t kMostConfigBytes = 4 << 20;
constexpr int kNoServer = 1;

int no_server(const std::string& why) {
  std::fprintf(stderr, "orch: mcp-server: %s\n", base::printable(why).c_str());
  return kNoServer;
}

}  // namespace

int run_mcp_server(std::span<const std::string> arguments) {
  if (arguments.size() != 2) return no_server("usage: orch internal mcp-server FILE NAME");
  const base::Result<std::string> text = store::read_regular_file(arguments[0], kMostConfigBytes);
  if (!text) return no_server(text.error().text);
  const auto servers = adapters::read_mcp_servers(arguments[0], *text);
  if (!servers) return no_server(servers.error().text);
  const auto found =
      std::find_if(servers->begin(), servers->end(),
                   [&](const adapters::McpServer& server) { return server.name == arguments[1]; });
  if (found == servers->end()) return no_server(arguments[0] + " has no server " + arguments[1]);
  for (const auto& [name, value] : found->env) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<std::string> words{found->command};
  words.insert(words.end(), found->args.begin(), found->args.end());
  return no_server(pty::become(words).text);
}

}  // namespace orch::duties
