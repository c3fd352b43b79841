#include "adapters/registry.h"

#include <catch2/catch.hpp>

namespace orch::adapters {
namespace {

ManifestFile file(const std::string& path, const std::string& name, const std::string& title) {
  return {path, R"({"manifest": 1, "name": ")" + name + R"(", "title": ")" + title + R"("})"};
}

}  // namespace

TEST_CASE("Without files the agents of the binary are known") {
  const base::Result<Registry> registry = Registry::load({});
  REQUIRE(registry.ok());
  for (const char* name : {"claude", "codex", "gemini", "demo", "command"}) {
    INFO(name);
    REQUIRE(registry->find(name) != nullptr);
    CHECK(registry->find(name)->name == name);
  }
  CHECK(registry->find("nobody") == nullptr);
  CHECK(registry->find("") == nullptr);
}

TEST_CASE("A user's file adds an agent") {
  const ManifestFile files[] = {file("mine.json", "mine", "My agent")};
  const base::Result<Registry> registry = Registry::load(files);
  REQUIRE(registry.ok());
  CHECK(registry->all().size() == Registry::load({})->all().size() + 1);
  REQUIRE(registry->find("mine") != nullptr);
  CHECK(registry->find("mine")->title == "My agent");
  CHECK(registry->names() == Registry::load({})->names() + ", mine");
}

TEST_CASE("A user's file replaces the agent of its name, and the later file wins") {
  const ManifestFile files[] = {file("a.json", "claude", "first"),
                                file("b.json", "claude", "second")};
  const base::Result<Registry> registry = Registry::load(files);
  REQUIRE(registry.ok());
  CHECK(registry->find("claude")->title == "second");
  CHECK(registry->find("claude")->rules.rules.empty());
  CHECK(registry->names() == Registry::load({})->names());
}

TEST_CASE("The first bad file is the error") {
  const ManifestFile files[] = {
      file("good.json", "good", ""), {"bad.json", "{"}, {"worse.json", ""}};
  const base::Result<Registry> registry = Registry::load(files);
  REQUIRE_FALSE(registry.ok());
  CHECK(registry.error().text == "bad.json: not valid JSON");
}

}  // namespace orch::adapters
