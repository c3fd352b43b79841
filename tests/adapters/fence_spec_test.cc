#include "adapters/fence_spec.h"

#include <catch2/catch.hpp>
#include <map>

#include "adapters/registry.h"

using namespace orch::adapters;

namespace {

std::string variable(std::string_view name) {
  static const std::map<std::string, std::string, std::less<>> kVariables{
      {"HOME", "/home/me"}, {"CODEX_HOME", "/data/codex"}};
  const auto found = kVariables.find(name);
  return found != kVariables.end() ? found->second : "";
}

}  // namespace

TEST_CASE("A fence's paths are written with variables") {
  CHECK(expanded("$HOME/.claude/projects", variable) == "/home/me/.claude/projects");
  CHECK(expanded("${CODEX_HOME:-$HOME/.codex}/log", variable) == "/data/codex/log");
  CHECK(expanded("${CLAUDE_CONFIG_DIR:-$HOME/.claude}/a", variable) == "/home/me/.claude/a");
  CHECK(expanded("/etc/agent", variable) == "/etc/agent");
  CHECK_FALSE(expanded("$NOTHING/.claude", variable));
  CHECK_FALSE(expanded("${NOTHING}/.claude", variable));
  CHECK_FALSE(expanded("relative/$HOME", variable));
  CHECK_FALSE(expanded("", variable));
}

TEST_CASE("Settings are merged") {
  CHECK(merged_settings("", "") == "");
  CHECK(merged_settings(R"({"a":1})", "") == R"({"a":1})");
  CHECK(merged_settings("", R"({"b":2})") == R"({"b":2})");
  CHECK(merged_settings(R"({"a":1,"b":{"c":1}})", R"({"b":{"d":2}})").find("\"d\": 2") !=
        std::string::npos);
}

TEST_CASE("Every agent of the binary that keeps something says where, below its user's home") {
  const Registry registry = Registry::load({}).value();
  for (const Manifest& agent : registry.all()) {
    for (const auto* paths : {&agent.fence.folders, &agent.fence.files, &agent.fence.secrets}) {
      for (const std::string& path : *paths) {
        INFO(agent.name << " " << path);
        const auto expanded_path = expanded(path, variable);
        REQUIRE(expanded_path);
        CHECK(*expanded_path != "/home/me");
      }
    }
  }
  CHECK_FALSE(registry.find("claude")->fence.folders.empty());
  CHECK_FALSE(registry.find("codex")->fence.watched.empty());
}
