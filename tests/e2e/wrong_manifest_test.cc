// Manifests of the user that are wrong: each disables its own agent, and no other.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

const std::string kFolder = "home/.config/orch/adapters/";

struct WrongManifest {
  const char* name;
  const char* text;
  const char* line;  // of orch agents, behind the path of the file
};

// The table in tests/adapters/lint_test.cc has the members; this one has a file of each kind.
const WrongManifest kWrong[] = {
    {"comma", "{\"manifest\": 1,\n \"name\": \"comma\" \"title\": \"x\"}",
     ":2:24: not valid JSON: look for a comma, quote or bracket"},
    {"short", "{\"manifest\": 1, \"name\": \"short\"", ":1:31: not valid JSON: it ends too early"},
    {"empty", "", ":1:1: not valid JSON: it ends too early"},
    {"list", "[]", ": must be an object"},
    {"old", R"({"manifest": 7, "name": "old"})", ":1:2: manifest: must be 1"},
    {"typo", "{\"manifest\": 1, \"name\": \"typo\",\n \"progam\": []}",
     ":2:2: progam: unknown field; did you mean program?"},
    {"type", "{\"manifest\": 1, \"name\": \"type\",\n\n  \"program\": \"x\"}",
     ":3:3: program: must be an array of strings"},
    {"regex", R"({"manifest": 1, "name": "regex", "user_message": "("})",
     ":1:34: user_message: pattern \"(\": missing ): ("},
    {"region", R"({"manifest": 1, "name": "region", "rules": [
{"id": "a", "status": "idle", "when": [{"in": "botom:3", "match": "x"}]}]})",
     ":2:41: rule a: when[0].in: \"botom:3\" is not a region (screen, bottom:N,"},
};

Json listed(const Workspace& workspace, const std::string& agent) {
  const Outcome agents = run_orch(workspace, {"agents", "--json"});
  REQUIRE(agents.code == 0);
  Json found;
  for (const Json& one : Json::parse(agents.out)) {
    if (one.at("agent") == agent) found = one;
  }
  return found;
}

void check_disabled(const Workspace& workspace, const std::string& agent, const std::string& line) {
  INFO(agent);
  const Json entry = listed(workspace, agent);
  REQUIRE(entry.is_object());
  const std::string why = entry.at("detail");
  INFO(why);
  CHECK(holds(why, line));
  CHECK(lines_of(why).size() == 1);
  const Outcome run = run_orch(workspace, {"run", "7", "--agent", agent, "--until", "idle"});
  CHECK(run.code == 2);
  CHECK(holds(run.err, "agent " + agent + " cannot be used: " + why));
}

}  // namespace

TEST_CASE("a wrong manifest disables its agent alone, and says what is wrong") {
  const Workspace workspace;
  for (const WrongManifest& wrong : kWrong) {
    workspace.write(kFolder + wrong.name + ".json", wrong.text);
  }
  for (const WrongManifest& wrong : kWrong) {
    check_disabled(workspace, wrong.name,
                   workspace.file(kFolder + wrong.name + ".json") + wrong.line);
  }
  const Outcome table = run_orch(workspace, {"agents"});
  CHECK(holds(table.out, "typo       -                    wrong      "));
  CHECK(lines_of(table.err) ==
        std::vector<std::string>{"orch: " + workspace.file(kFolder + "comma.json") + ", " +
                                 workspace.file(kFolder + "empty.json") + ", " +
                                 workspace.file(kFolder + "list.json") +
                                 " and 6 more are wrong and were left out; see: orch agents"});
  CHECK(Program(workspace.demo("default", {"-p", "do it"})).finish().code == 0);
  CHECK(run_orch(workspace, {"agents", "show", "claude"}).code == 0);
}

TEST_CASE("what is no file that can be read disables the agent of its name") {
  const Workspace workspace;
  workspace.write(kFolder + "nul.json", std::string("{\"manifest\": 1, \"name\": \"n\0\"}", 29));
  workspace.write(kFolder + "huge.json", "{\"manifest\": 1, \"name\": \"huge\", \"title\": \"" +
                                             std::string(100'000, 'x') + "\"}");
  workspace.write(kFolder + "endless.json", std::string(40 << 20, ' '));
  const auto place = [&workspace](const std::string& name) {
    return workspace.file(kFolder + name + ".json");
  };
  fs::create_directory(place("folder"));
  REQUIRE(::mkfifo(place("fifo").c_str(), 0600) == 0);
  fs::create_symlink("loop.json", place("loop"));
  fs::create_symlink("nowhere", place("dangling"));
  workspace.write(kFolder + "linked.json", R"({"manifest": 1, "name": "linked"})");
  fs::create_hard_link(place("linked"), workspace.file("second"));
  check_disabled(workspace, "nul", "nul.json:1:2");
  check_disabled(workspace, "huge", "huge.json:1:1: more than 65536 bytes");
  check_disabled(workspace, "endless", "endless.json");
  check_disabled(workspace, "folder", "folder.json: it is not a file");
  check_disabled(workspace, "fifo", "fifo.json: it is not a file");
  CHECK(holds(run_orch(workspace, {"agents"}).out, "loop.json"));
  check_disabled(workspace, "dangling", "dangling.json: No such file or directory");
  check_disabled(workspace, "linked", "has a second name (a hard link)");
  if (::geteuid() != 0) {
    workspace.write(kFolder + "closed.json", "{}");
    REQUIRE(::chmod(place("closed").c_str(), 0) == 0);
    check_disabled(workspace, "closed", "closed.json: Permission denied");
  }
  CHECK(Program(workspace.demo("default", {"-p", "do it"})).finish().code == 0);
}

TEST_CASE("a wrong manifest of a built-in agent disables that agent") {
  const Workspace workspace;
  workspace.write(kFolder + "codex.json", "{");
  check_disabled(workspace, "codex", "codex.json:1:1: not valid JSON");
  CHECK(holds(run_orch(workspace, {"agents", "show", "codex"}).err, "cannot be used"));
  CHECK(run_orch(workspace, {"agents", "show", "gemini"}).code == 0);
}

TEST_CASE("a run keeps its manifest for its replay") {
  const Workspace workspace;
  Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
  manifest["name"] = "mine";
  for (Json& rule : manifest["rules"]) rule["id"] = "first-" + rule["id"].get<std::string>();
  workspace.write(kFolder + "mine.json", manifest.dump(1));
  REQUIRE(
      run_orch(workspace, {"run", "7", "--agent", "mine", "--until", "idle", "-p", "hi"}).code ==
      0);
  const std::string replayed = run_orch(workspace, {"replay", "7"}).out;
  CHECK(holds(replayed, "mine/first-"));
  workspace.write(kFolder + "mine.json", R"({"manifest": 1, "name": "mine"})");
  CHECK(run_orch(workspace, {"replay", "7"}).out == replayed);
  CHECK_FALSE(holds(run_orch(workspace, {"replay", "7", "--agent", "mine"}).out, "mine/first-"));
  workspace.write(kFolder + "mine.json", "{");
  CHECK(run_orch(workspace, {"replay", "7"}).out == replayed);
  CHECK(run_orch(workspace, {"replay", "7", "--agent", "mine"}).code == 2);
}
