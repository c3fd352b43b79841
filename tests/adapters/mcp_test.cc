// The MCP servers that an agent is given for one run.
#include "adapters/mcp.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace {

using orch::adapters::McpServer;
using orch::adapters::McpSpec;
using orch::adapters::McpWords;

std::string error_of_servers(const std::string& text) {
  const auto servers = orch::adapters::read_mcp_servers("mcp.json", text);
  return servers ? "none" : servers.error().text;
}

}  // namespace

TEST_CASE("MCP servers are read in the form of .mcp.json, and written in it") {
  const std::string text =
      R"({"mcpServers":{"a-b_2":{"type":"stdio","command":"npx","args":["-y","x"],"env":{"K":"v"}},)"
      R"("plain":{"command":"/bin/plain","note":"ignored"}}})";
  const auto servers = orch::adapters::read_mcp_servers("mcp.json", text);
  REQUIRE(servers.ok());
  const std::vector<McpServer> expected{{"a-b_2", "npx", {"-y", "x"}, {{"K", "v"}}},
                                        {"plain", "/bin/plain", {}, {}}};
  CHECK(*servers == expected);
  CHECK(*orch::adapters::read_mcp_servers("", orch::adapters::mcp_text(expected)) == expected);
}

TEST_CASE("What is wrong in a file of MCP servers is named with its place") {
  CHECK(error_of_servers("[]").starts_with("mcp.json: "));
  CHECK(error_of_servers("{}") ==
        "mcp.json: mcpServers: must be an object with a member for each server");
  CHECK(error_of_servers(R"({"mcpServers":{"a b":{"command":"x"}}})") ==
        "mcp.json: mcpServers.a b: a name has at most 64 letters, digits, \"_\" and \"-\"");
  CHECK(error_of_servers(R"({"mcpServers":{"orch":{"command":"x"}}})").find("orch's own") !=
        std::string::npos);
  CHECK(error_of_servers(R"({"mcpServers":{"a":{}}})") ==
        "mcp.json: mcpServers.a.command: is missing");
  CHECK(error_of_servers(R"({"mcpServers":{"a":{"command":""}}})") ==
        "mcp.json: mcpServers.a.command: is empty");
  CHECK(error_of_servers(R"({"mcpServers":{"a":{"command":"x","args":[1]}}})") ==
        "mcp.json: mcpServers.a.args: must be an array of strings");
  for (const char* remote : {R"({"mcpServers":{"a":{"type":"http","url":"https://x"}}})",
                             R"({"mcpServers":{"a":{"url":"https://x"}}})"}) {
    CHECK(error_of_servers(remote).find("not one behind a URL") != std::string::npos);
  }
}

TEST_CASE("The words for a server are those of the manifest with its name, command and settings") {
  McpSpec spec;
  spec.arguments = {"-c", "servers.{name}.command={command}", "servers.{name}.args={args}"};
  spec.env = {{"FILE", "{settings}"}, {"WORDS", R"({"{name}":{words}})"}};
  spec.settings = R"({"{name}":{"command":{command}}})";
  const McpWords words = words_for(spec, {"s", "/a \"b\"", {"x", "{name}"}, {}}, "/run/hooks.json");
  CHECK(words.arguments == std::vector<std::string>{"-c", R"(servers.s.command="/a \"b\"")",
                                                    R"(servers.s.args=["x","{name}"])"});
  CHECK(words.env.at("FILE") == "/run/hooks.json");
  CHECK(words.env.at("WORDS") == R"({"s":["/a \"b\"","x","{name}"]})");
  CHECK(words.settings == R"({"s":{"command":"/a \"b\""}})");
}
