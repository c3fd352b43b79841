#include "adapters/registry.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

namespace orch::adapters {
namespace {

ManifestFile file(const std::string& path, const std::string& name, const std::string& title) {
  return {path, R"({"manifest": 1, "name": ")" + name + R"(", "title": ")" + title + R"("})", {}};
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

TEST_CASE("What is known of the agents of the binary without reading them is what they say") {
  const auto joined = [](const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
  };
  for (const EmbeddedManifest& embedded : embedded_manifests()) {
    INFO(embedded.file);
    const base::Result<Manifest> manifest = parse_manifest(embedded.text, embedded.file);
    REQUIRE(manifest);
    CHECK(embedded.name == manifest->name);
    CHECK(embedded.program == (manifest->program.empty() ? "" : manifest->program.front()));
    CHECK(embedded.aliases == joined(manifest->task.aliases));
    CHECK(embedded.bypass == joined(manifest->bypass));
  }
}

TEST_CASE("A manifest is read once, and a copy of the registry holds it too") {
  auto registry = std::make_unique<Registry>(Registry::load({}).value());
  const Manifest* demo = registry->find("demo");
  CHECK(registry->find("demo") == demo);
  const Registry copy = *registry;
  registry.reset();
  CHECK(copy.find("demo") == demo);
  CHECK(demo->name == "demo");
}

TEST_CASE("Agents are found by the programs that words name") {
  const ManifestFile files[] = {
      {"a.json",
       R"({"manifest": 1, "name": "mine", "program": ["tool", "-x"], "bypass": ["-z"]})",
       {}}};
  const Registry registry = Registry::load(files).value();
  const auto names = [&registry](const std::vector<std::string>& words) {
    std::string found;
    for (const Manifest& manifest : registry.named_in(words)) found += manifest.name + " ";
    return found;
  };
  CHECK(names({"true", "", "/"}).empty());
  CHECK(names({"env", "/usr/bin/claude", "cursor-agent"}) == "claude cursor ");
  CHECK(names({"./tool"}) == "mine ");
  CHECK(registry.program("cursor") == "cursor-agent");
  CHECK(registry.program("mine") == "tool");
  CHECK(registry.program("command").empty());
  CHECK(registry.program("nobody").empty());
  CHECK(registry.knows("mine"));
  CHECK_FALSE(registry.knows("tool"));
  CHECK(registry.is_bypass("--yolo"));
  CHECK(registry.is_bypass("-z"));
  CHECK_FALSE(registry.is_bypass("-x"));
  CHECK_FALSE(registry.is_bypass(""));
}

TEST_CASE("An agent is found by its kind: its name, or another name of it") {
  const ManifestFile files[] = {
      {"a.json", R"({"manifest": 1, "name": "mine", "task": {"aliases": ["my-cli"]}})", {}}};
  const Registry registry = Registry::load(files).value();
  CHECK(registry.find_kind("cursor-cli") == registry.find("cursor"));
  CHECK(registry.find_kind("cursor-agent") == registry.find("cursor"));
  CHECK(registry.find_kind("my-cli") == registry.find("mine"));
  CHECK(registry.find_kind("cursor-") == nullptr);
  CHECK(registry.find_kind("") == nullptr);
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
      file("good.json", "good", ""), {"bad.json", "{", {}}, {"worse.json", "", {}}};
  const base::Result<Registry> registry = Registry::load(files);
  REQUIRE_FALSE(registry.ok());
  CHECK(registry.error().text == "bad.json: not valid JSON");
}

TEST_CASE("A bad file disables its agent alone") {
  const ManifestFile files[] = {file("good.json", "good", ""),
                                {"bad.json", "{", {}},
                                {"x/other.json", "{\n  \"name\": \"worse\", \"nmae\": 1}", {}},
                                {"gone.json", "", "cannot read gone.json: Permission denied"},
                                {"claude.json", "[]", {}}};
  const Registry registry = Registry::load_each(files);
  CHECK(registry.find("good") != nullptr);
  CHECK(registry.find("codex") != nullptr);
  REQUIRE(registry.bad().size() == 4);
  CHECK(registry.why_disabled("bad").starts_with("bad.json:1:1: not valid JSON: "));
  CHECK(registry.why_disabled("worse").starts_with("x/other.json:1:1: manifest: must be 1"));
  CHECK(registry.why_disabled("gone") == "cannot read gone.json: Permission denied");
  CHECK(registry.why_disabled("good").empty());
  CHECK(registry.why_disabled("nobody").empty());

  CHECK(registry.why_disabled("claude") == "claude.json: must be an object");
  CHECK(registry.find("claude") == nullptr);
  CHECK(registry.find_kind("claude") == nullptr);
  CHECK_FALSE(registry.names().starts_with("claude"));
  CHECK(registry.all().size() == Registry::load({})->all().size());
  CHECK(registry.all_and_disabled().size() == Registry::load({})->all().size() + 1);
  CHECK(registry.knows("claude"));  // as a word of a command line
  CHECK(registry.is_bypass("--dangerously-skip-permissions"));
}

TEST_CASE("A later file of the same name takes the place of a bad one") {
  const ManifestFile files[] = {{"claude.json", "[]", {}}, file("mine.json", "claude", "mine")};
  const Registry registry = Registry::load_each(files);
  REQUIRE(registry.find("claude") != nullptr);
  CHECK(registry.find("claude")->title == "mine");
  CHECK(registry.why_disabled("claude").empty());
  CHECK(registry.bad().size() == 1);
  const ManifestFile turned[] = {files[1], files[0]};
  CHECK(Registry::load_each(turned).find("claude") == nullptr);
}

}  // namespace orch::adapters
