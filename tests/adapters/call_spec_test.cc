#include "adapters/call_spec.h"

#include <catch2/catch.hpp>
#include <string>

#include "adapters/registry.h"
#include "store/file_io.h"

using namespace orch::adapters;

namespace {

std::string error_of(const std::string& calls) {
  const auto manifest = parse_manifest(
      R"({"manifest":1,"name":"own","title":"Own","program":["own"],"calls":)" + calls + "}",
      "own.json");
  return manifest ? "" : manifest.error().text;
}

}  // namespace

TEST_CASE("the hook's command refuses by itself where orch cannot be run") {
  CHECK(check_command({"/usr/bin/orch", "check-call", "/run/orch/orch-42@0.sock"}) ==
        "'/usr/bin/orch' 'check-call' '/run/orch/orch-42@0.sock' || "
        "{ echo 'orch has not read this call' >&2; exit 2; }");
  CHECK(check_command({"/it's/orch", "/a b"}).starts_with(R"('/it'\''s/orch' '/a b' ||)"));
}

TEST_CASE("placeholders of the call check stand for JSON strings, which are TOML strings, too") {
  const std::string command = "'orch' x || { echo \"no\"; }";
  CHECK(filled_in(R"({"command": "{check}"})", {command, "/f", ""}) ==
        R"({"command": "'orch' x || { echo \"no\"; }"})");
  CHECK(filled_in("hooks=[{command={check}}]", {command, "/f", ""}) ==
        R"(hooks=[{command="'orch' x || { echo \"no\"; }"}])");
  CHECK(filled_in("{settings}", {command, "/run/hooks.json", ""}) == "/run/hooks.json");
  CHECK(filled_in("{plugin}", {command, "", "", "/run/plugin"}) == "/run/plugin");
  const std::string first = filled_in("{random}", {}), second = filled_in("{random}", {});
  CHECK(first.size() >= 16);
  CHECK(first != second);
  // By another implementation, over the JSON of call_spec.cc.
  CHECK(filled_in("{trust pre_tool_use}", {"true", "", ""}) ==
        R"("sha256:7f9f7ccc86d5f77b3561435e868332405e653e20d1ce5f9337e8285e477dbc85")");
  CHECK(filled_in("{trust unended", {"true", "", ""}) == "{trust unended");
}

TEST_CASE("what a manifest says of the call check is read, and what it lacks is named") {
  CHECK(error_of(R"({})") == "own.json: calls.events: is missing");
  CHECK(error_of(R"({"events":[{"name":"Pre","is":"call","deny":"no"}]})") ==
        "own.json: calls.events[0].deny: must hold {reason}");
  CHECK(error_of(R"({"events":[{"name":"Pre","is":"nothing"}]})")
            .starts_with("own.json: calls.events[0].is"));
  CHECK(error_of(R"({"events":[{"name":"Pre","is":"call","deny":"{reason}"}]})").empty());
}

TEST_CASE("every agent of the binary whose calls are checked says when its hooks are in force") {
  const Registry registry = Registry::load({}).value();
  int checked = 0;
  for (const Manifest& agent : registry.all()) {
    if (!agent.calls.any()) continue;
    INFO(agent.name);
    ++checked;
    using Kind = CallSpec::Event::Kind;
    const auto has = [&agent](Kind kind) {
      for (const CallSpec::Event& event : agent.calls.events) {
        if (event.kind == kind) return true;
      }
      return false;
    };
    CHECK(has(Kind::kStart));
    CHECK(has(Kind::kCall));
    CHECK_FALSE(agent.calls.tool.empty());
    CHECK_FALSE(agent.calls.input.empty());
    std::string words;
    for (const std::string& word : agent.calls.arguments) words += word;
    for (const auto& [name, value] : agent.calls.env) words += value;
    CHECK((words + agent.calls.settings + agent.calls.script).find("{check}") != std::string::npos);
  }
  CHECK(checked >= 3);
}

TEST_CASE("agents wait longer for a decision than the hook does, which refuses after 23 hours") {
  const Registry registry = Registry::load({}).value();
  for (const Manifest& agent : registry.all()) {
    if (!agent.calls.any() || !agent.calls.script.empty()) continue;  // a script waits for ever
    std::string words = agent.calls.settings;
    for (const std::string& word : agent.calls.arguments) words += word;
    INFO(agent.name);
    CHECK(words.find("86400") != std::string::npos);  // seconds, or the beginning of milliseconds
  }
}

TEST_CASE("docs/calls.md has a row for each agent whose calls are checked, and for no other") {
  const auto page =
      orch::store::read_file(std::string(ORCH_SOURCE_DIR) + "/docs/calls.md", 1 << 20);
  REQUIRE(page.ok());
  const Registry registry = Registry::load({}).value();
  for (const Manifest& agent : registry.all()) {
    std::string hooks;
    for (const CallSpec::Event& event : agent.calls.events) {
      if (event.kind != CallSpec::Event::Kind::kCall) continue;
      hooks += (hooks.empty() ? "`" : ", `") + event.name + "`";
    }
    const size_t row = page->find("\n| " + agent.title + " | " + hooks + " | ");
    INFO(agent.title << " " << hooks);
    CHECK((row != std::string::npos) == agent.calls.any());
    if (!agent.calls.any() || row == std::string::npos) continue;
    const std::string line = page->substr(row + 1, page->find('\n', row + 1) - row - 1);
    std::string unread;
    for (const std::string& one : agent.calls.unread) unread += (unread.empty() ? "" : ", ") + one;
    CHECK(line.ends_with("| " + unread + (unread.empty() ? "|" : " |")));
  }
}
