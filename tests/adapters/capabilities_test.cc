#include "adapters/capabilities.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "adapters/registry.h"
#include "base/json.h"
#include "store/file_io.h"

namespace orch::adapters {
namespace {

constexpr const char* kAble = R"({
  "manifest": 1, "name": "able", "program": ["able"], "bypass": ["--yolo", "-y"],
  "root_bypass": "IN_A_SANDBOX", "models": ["big", "small"], "includes_files": true,
  "options": {"model": ["--model", "{}"], "effort": ["-e", "{}"], "system_prompt": ["-s", "{}"]},
  "session": {"resume": ["--resume", "{}"]},
  "hooks": {"arguments": ["--hook"]}, "notices": [{"id": "stop", "match": "hook Stop", "status": "idle"}],
  "calls": {"events": [{"name": "before", "is": "call", "deny": "no: {reason}"}]},
  "headless": {
    "arguments": ["-p", "{options}"], "allow": "yes {id}", "deny": "no {id}",
    "lines": [{"is": "end", "when": {"/type": "end"}, "usage": {"in": ["/in"], "out": ["/out"]}}]
  }})";

Manifest able() { return parse_manifest(kAble, "able.json").value(); }

Manifest unable() {
  return parse_manifest(R"({"manifest": 1, "name": "unable", "program": ["unable"]})", "u").value();
}

base::Status with_root(const std::vector<std::string>& argv, const std::string& value) {
  return check_root_bypass(able(), argv, [&value](std::string_view name) {
    return name == "IN_A_SANDBOX" ? value : std::string();
  });
}

}  // namespace

TEST_CASE("an agent can do what its manifest has words or rules for") {
  std::set<std::string_view> names;
  for (const Capability capability : kCapabilities) {
    INFO(name(capability));
    CHECK(supports(able(), capability));
    CHECK_FALSE(supports(unable(), capability));
    CHECK(name(capability).starts_with("supports_"));
    names.insert(name(capability));
  }
  CHECK(names.size() == kCapabilities.size());
}

TEST_CASE("each capability follows from the one thing that it stands for") {
  const auto without = [](auto take_away) {
    Manifest manifest = able();
    take_away(manifest);
    std::set<Capability> lost;
    for (const Capability capability : kCapabilities) {
      if (!supports(manifest, capability)) lost.insert(capability);
    }
    return lost;
  };
  using Lost = std::set<Capability>;
  CHECK(without([](Manifest& m) { m.options.erase("model"); }) == Lost{Capability::kModel});
  CHECK(without([](Manifest& m) { m.options.erase("effort"); }) == Lost{Capability::kEffort});
  CHECK(without([](Manifest& m) { m.options.erase("system_prompt"); }) ==
        Lost{Capability::kSystemPrompt});
  CHECK(without([](Manifest& m) { m.session.resume.clear(); }) == Lost{Capability::kResume});
  CHECK(without([](Manifest& m) { m.bypass.clear(); }) == Lost{Capability::kBypass});
  CHECK(without([](Manifest& m) { m.hooks.arguments.clear(); }) == Lost{Capability::kHooks});
  CHECK(without([](Manifest& m) { m.calls = {}; }) == Lost{Capability::kCallCheck});
  CHECK(without([](Manifest& m) { m.includes_files = false; }) ==
        Lost{Capability::kPromptFileInclusion});
  CHECK(without([](Manifest& m) { m.headless = {}; }) ==
        Lost{Capability::kNonInteractive, Capability::kUsage, Capability::kPermissionRequests});
}

TEST_CASE("what is not supported is one line that names the agent and the capability") {
  for (const Capability capability : kCapabilities) {
    CHECK(require(able(), capability).ok());
    const base::Status refused = require(unable(), capability, ": do something else");
    REQUIRE_FALSE(refused.ok());
    const std::string& text = refused.error().text;
    INFO(text);
    CHECK(refused.error().code == base::ErrorCode::kUsage);
    CHECK(text.starts_with("agent unable cannot "));
    CHECK(text.find(std::string(name(capability)) + " is false): do something else") !=
          std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
  }
}

TEST_CASE("root is not let bypass what the agent would refuse, unless it is told of a sandbox") {
  const base::Status refused = with_root({"env", "A=1", "/opt/able", "-p", "--yolo"}, "");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text ==
        "agent able refuses --yolo as root (supports_bypass): be another user, or add --env "
        "IN_A_SANDBOX=1 where this machine is a sandbox");
  CHECK_FALSE(with_root({"able", "-y"}, "0").ok());
  CHECK(with_root({"able", "-y"}, "1").ok());
  CHECK(with_root({"able", "-p"}, "").ok());
  CHECK(with_root({"git", "merge", "-y"}, "").ok());
  CHECK(with_root({"yes", "-y", "able"}, "").ok());
  CHECK(with_root({}, "").ok());
}

TEST_CASE("for programs there is a truth value for each capability, and the models") {
  const base::Json json = to_json(able());
  CHECK(json["agent"] == "able");
  CHECK(json["tested"].is_null());
  CHECK(json["supports_model"] == true);
  CHECK(json["available_models"] == base::Json({"big", "small"}));
  CHECK(to_json(unable())["supports_usage"] == false);
  CHECK(to_json(unable())["available_models"] == base::Json::array());
}

TEST_CASE("words of a manifest cannot steer a terminal") {
  Manifest manifest = able();
  manifest.options["model"] = {"--model\x1b[2J", "{}"};
  manifest.models = {"big\nsupports_effort no"};
  const std::string text = to_text(manifest);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\nsupports_effort no") == std::string::npos);
}

TEST_CASE("a login that can be looked for says what to do when there is none") {
  const auto parsed = [](const std::string& login) {
    return parse_manifest(R"({"manifest": 1, "name": "a", "login": )" + login + "}", "a.json");
  };
  CHECK(parsed(R"({"variables": ["KEY"], "how": "set KEY"})")->login.variables.size() == 1);
  CHECK(parsed(R"({"files": ["$HOME/key"]})").error().text == "a.json: login.how: is missing");
  CHECK_FALSE(parsed("{}")->login.any());
}

TEST_CASE("the agents of the binary can do what was measured") {
  const Registry registry = Registry::load({}).value();
  const auto can = [&registry](const char* agent) {
    std::string able;
    for (const Capability capability : kCapabilities) {
      able += supports(*registry.find(agent), capability) ? '1' : '0';
    }
    return able;
  };
  // the columns: model, headless, files, resume, effort, system prompt, usage, bypass, permissions,
  // hooks, call check
  CHECK(can("claude") == "11111111111");
  CHECK(can("codex") == "11011111011");
  CHECK(can("gemini") == "11110011001");
  CHECK(can("opencode") == "11010011001");
  CHECK(can("kilo") == "11010011001");
  CHECK(can("kimi") == "10000001000");
  CHECK(can("pi") == "11011100001");
  CHECK(can("aider") == "10001001000");
  CHECK(can("continue") == "00000001000");
  CHECK(can("cursor") == "11000001000");
  CHECK(can("command") == "00000000000");
}

// Pages that no test compares with the manifests would soon be wrong.
TEST_CASE("each agent of the binary has its page, and the page what it can do") {
  namespace fs = std::filesystem;
  const Registry registry = Registry::load({}).value();
  const fs::path folder = fs::path(ORCH_SOURCE_DIR) / "docs/agents";
  size_t pages = 0;
  for (const auto& entry : fs::directory_iterator(folder)) pages += entry.is_regular_file();
  CHECK(pages == registry.all().size());
  for (const Manifest& manifest : registry.all()) {
    INFO(manifest.name);
    const auto page = store::read_file((folder / (manifest.name + ".md")).string(), 1 << 20);
    REQUIRE(page.ok());
    CHECK(page->find("\n" + to_text(manifest)) != std::string::npos);
    if (!manifest.tested.empty()) CHECK(page->find(manifest.tested) != std::string::npos);
    for (const std::string& variable : manifest.login.variables) {
      INFO(variable);
      CHECK(page->find(variable) != std::string::npos);
    }
  }
}

}  // namespace orch::adapters
