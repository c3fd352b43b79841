#include "meta/make_provider.h"

#include <catch2/catch.hpp>

#include "fake_program.h"

namespace orch::meta {
namespace {

struct Scene {
  base::Result<MadeProvider> make() { return make_provider(setup, agents, variables, loop); }
  std::string error() {
    const base::Result<MadeProvider> made = make();
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code == base::ErrorCode::kUsage);
    return made.error().text;
  }
  adapters::Registry agents = adapters::Registry::load({}).value();
  std::map<std::string, std::string> variables;
  loop::Loop loop;
  ProviderSetup setup;
};

bool holds(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("with a key it is openai-chat, by the default model") {
  Scene scene;
  scene.variables = {{"OPENAI_API_KEY", "k"}};
  for (const char* kind : {"", "openai-chat"}) {
    scene.setup.provider.kind = kind;
    const MadeProvider made = scene.make().value();
    CHECK(made.kind == "openai-chat");
    CHECK(made.model == "gpt-5.2");
    CHECK(made.note.empty());
  }
  scene.setup.provider.model = "5.1-codex-mini";
  CHECK(scene.make().value().model == "gpt-5.1-codex-mini");
}

TEST_CASE("without a key codex is asked, said aloud, where it is installed") {
  const FakePrograms programs;
  Scene scene;
  scene.variables = {{"PATH", "/nowhere"}};
  CHECK(holds(scene.error(), "$OPENAI_API_KEY is not set"));
  programs.add("codex", "exit 0");
  scene.variables = programs.variables();
  const MadeProvider made = scene.make().value();
  CHECK(made.kind == "codex-cli");
  CHECK(made.note == "$OPENAI_API_KEY is not set: codex-cli is asked instead of openai-chat");
}

TEST_CASE("a server of one's own needs no key, and a key may have another name") {
  Scene scene;
  scene.setup.base_url = "http://127.0.0.1:1/v1";
  CHECK(scene.make().value().kind == "openai-chat");
  scene.setup.base_url.clear();
  scene.setup.api_key_env = "OTHER_KEY";
  CHECK(holds(scene.error(), "$OTHER_KEY"));
  scene.setup.api_key_env.clear();
  scene.setup.provider.tool_specific = {{"api_key_env", "THIRD_KEY"}};
  CHECK(holds(scene.error(), "$THIRD_KEY"));
  scene.variables = {{"THIRD_KEY", "k"}};
  CHECK(scene.make().value().kind == "openai-chat");
  scene.variables = {{"MINE", "k"}};
  scene.setup.provider.tool_specific = base::Json::object();
  scene.setup.provider.extra_env = {{"OPENAI_API_KEY", "env:MINE"}};
  CHECK(scene.make().value().kind == "openai-chat");
  scene.variables = {{"MINE", "k\r\nX: y"}};
  CHECK(holds(scene.error(), "end of line"));
}

TEST_CASE("an address that is none is refused, and one that others can listen to is named") {
  Scene scene;
  scene.variables = {{"OPENAI_API_KEY", "k"}};
  scene.setup.base_url = "model.example/v1";
  CHECK(holds(scene.error(), "openai-chat: \"model.example/v1\" is not an address"));
  scene.setup.is_users_url = true;
  scene.setup.base_url = "http://model.example/v1";
  CHECK(holds(scene.make().value().note, "unencrypted"));
  for (const char* own : {"http://127.0.0.1:8080/v1", "http://localhost", "https://x.example"}) {
    scene.setup.base_url = own;
    CHECK(scene.make().value().note.empty());
  }
}

TEST_CASE("agent CLIs are checked before they are asked") {
  Scene scene;
  for (const char* kind : {"codex-cli", "claude-cli", "gemini-cli"}) {
    scene.setup.provider.kind = kind;
    CHECK(scene.make().value().kind == kind);
  }
  scene.setup.provider.effort = "high";
  CHECK(holds(scene.error(), "supports_effort"));
  scene.setup.provider.kind = "demo";
  CHECK(holds(scene.error(), "supports_non_interactive"));
  scene.setup.provider.kind = "nobody";
  CHECK(holds(scene.error(), "openai-chat, scripted"));
  scene.setup.provider.kind = "openai-chat";
  scene.setup.provider.flags = {"--x"};
  CHECK(holds(scene.error(), "flags"));
}

TEST_CASE("a script is read before it is played") {
  Scene scene;
  scene.setup.provider.kind = "scripted";
  scene.setup.answers = {"type: x\n"};
  CHECK(scene.make().value().kind == "scripted");
  scene.setup.answers = {"# delay: never\n"};
  CHECK(holds(scene.error(), "delay"));
}

}  // namespace orch::meta
