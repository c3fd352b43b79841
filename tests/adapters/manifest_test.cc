#include "adapters/manifest.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "adapters/embedded.h"

namespace orch::adapters {
namespace {

using event::AgentStatus;
using event::Cause;
using Json = nlohmann::ordered_json;
using Kind = detect::ConditionSpec::Kind;

// A small correct manifest, into which tests put mistakes.
Json sample() {
  return Json::parse(R"({
    "manifest": 1,
    "name": "sample",
    "emoji_sequences": false,
    "program": ["sample", "--plain"],
    "options": {"model": ["-m", "{}"]},
    "env": {"SAMPLE": "1"},
    "input": {"stability_ms": 700, "keys": {"bytes": 700, "between": "End", "tab": "  "}},
    "quit": {"keys": ["C-c"], "wait_ms": 100},
    "transcript": {"agent": "^• ", "drop": ["^─+$"]},
    "box": {"prompt": "^> ", "bottom": "^─"},
    "user_message": "^> \\S",
    "timing": {"idle_ms": 250},
    "rules": [{
      "id": "permission",
      "status": "waiting",
      "cause": "permission",
      "priority": 10,
      "confirm_ms": 90,
      "when": [
        {"in": "bottom:3", "match": "Allow", "unless_after": "Done"},
        {"box": false},
        {"any": [{"in": "title", "no": "busy"}, {"in": "screen", "menu": true}]}
      ],
      "causes": {"question": "\\?", "plan": "plan"}
    }]
  })");
}

base::Result<Manifest> parse(const Json& json) { return parse_manifest(json.dump(), "a.json"); }

// The error for the sample with `value` at `path`; null removes the member.
std::string error_with(const char* path, const Json& value) {
  Json json = sample();
  const Json::json_pointer pointer(path);
  if (value.is_null()) {
    json[pointer.parent_pointer()].erase(pointer.back());
  } else {
    json[pointer] = value;
  }
  const base::Result<Manifest> manifest = parse(json);
  if (manifest.ok()) return "accepted";
  CHECK(manifest.error().code == base::ErrorCode::kUsage);
  CHECK(manifest.error().text.find('\n') == std::string::npos);
  return manifest.error().text;
}

}  // namespace

TEST_CASE("Every embedded manifest is valid, compiles and is named like its file") {
  std::set<std::string> names;
  for (const EmbeddedManifest& embedded : embedded_manifests()) {
    const base::Result<Manifest> manifest = parse_manifest(embedded.text, embedded.file);
    INFO((manifest.ok() ? std::string(embedded.file) : manifest.error().text));
    REQUIRE(manifest.ok());
    CHECK(manifest->name + ".json" == embedded.file);
    CHECK_FALSE(manifest->title.empty());
    CHECK(detect::RuleSet::compile(manifest->rules).ok());
    CHECK(manifest->idle_known == !manifest->rules.rules.empty());
    std::set<std::string> ids;
    for (const detect::RuleSpec& rule : manifest->rules.rules) CHECK(ids.insert(rule.id).second);
    names.insert(manifest->name);
  }
  for (const char* name : {"claude", "codex", "gemini", "demo", "command"}) {
    CHECK(names.contains(name));
  }
}

TEST_CASE("A manifest's members are read") {
  const base::Result<Manifest> manifest = parse(sample());
  REQUIRE(manifest.ok());
  CHECK(manifest->name == "sample");
  CHECK(manifest->program == std::vector<std::string>{"sample", "--plain"});
  CHECK(manifest->options.at("model") == std::vector<std::string>{"-m", "{}"});
  CHECK(manifest->env.at("SAMPLE") == "1");
  CHECK(manifest->input.stability_ms == 700);
  CHECK(manifest->input.keys.bytes == 700);
  CHECK(manifest->input.keys.between == "End");
  CHECK(manifest->input.keys.tab == "  ");
  CHECK(manifest->input.enter_delay_ms == InputSpec{}.enter_delay_ms);
  CHECK(manifest->quit.keys == std::vector<std::string>{"C-c"});
  CHECK(manifest->quit.wait_ms == 100);
  CHECK(manifest->transcript.drop == std::vector<std::string>{"^─+$"});
  CHECK(manifest->rules.agent == "sample");
  CHECK_FALSE(manifest->emoji_sequences);
  CHECK(manifest->rules.user_message == "^> \\S");
  CHECK(manifest->rules.box.prompt == "^> ");
  CHECK(manifest->rules.timing.idle_ms == 250);
  CHECK(manifest->rules.timing.settle_ms == detect::DetectTiming{}.settle_ms);
}

TEST_CASE("A rule's members are read, its causes in the order of the file") {
  const base::Result<Manifest> manifest = parse(sample());
  REQUIRE(manifest.ok());
  REQUIRE(manifest->rules.rules.size() == 1);
  const detect::RuleSpec& rule = manifest->rules.rules[0];
  CHECK(rule.id == "permission");
  CHECK(rule.status == AgentStatus::kWaiting);
  CHECK(rule.cause == Cause::kPermission);
  CHECK(rule.priority == 10);
  CHECK(rule.confirm_ms == 90);
  REQUIRE(rule.when.size() == 3);
  CHECK(rule.when[0].kind == Kind::kMatch);
  CHECK(rule.when[0].in == detect::RegionSpec{detect::Region::kBottom, 3});
  CHECK(rule.when[0].unless_after == "Done");
  CHECK(rule.when[1].kind == Kind::kNoBox);
  REQUIRE(rule.when[2].any.size() == 2);
  CHECK(rule.when[2].any[0].kind == Kind::kNoMatch);
  CHECK(rule.when[2].any[1].kind == Kind::kMenu);
  REQUIRE(rule.causes.size() == 2);
  CHECK(rule.causes[0].cause == Cause::kQuestion);
  CHECK(rule.causes[1].cause == Cause::kPlan);
}

TEST_CASE("A mistake is one line that names file, rule and field") {
  const std::string when = "a.json: rule permission: when[0]";
  const std::string no_region =
      " is not a region (screen, bottom:N, box, above:N, below, turn, dialog, title, report, "
      "progress)";
  const std::string no_status = " is none of idle, working, waiting, error";
  const std::string no_cause =
      " is none of permission, question, plan, trust, login, onboarding, update, mode, hooks, "
      "servers, imports, resume, limit";
  struct Mistake {
    const char* path;
    Json value;
    std::string text;
  };
  const Mistake mistakes[] = {
      {"/manifest", 2, "a.json: manifest: must be 1, the version of this format"},
      {"/manifest", nullptr, "a.json: manifest: must be 1, the version of this format"},
      {"/name", nullptr, "a.json: name: is missing"},
      {"/name", "../x", "a.json: name: must be letters, digits, _ and -, at most 64"},
      {"/name", "a\n", "a.json: name: must be letters, digits, _ and -, at most 64"},
      {"/name", std::string(65, 'a'), "a.json: name: must be letters, digits, _ and -, at most 64"},
      {"/name", 7, "a.json: name: must be a string"},
      {"/verified", 1, "a.json: verified: must be true or false"},
      {"/program", "sample", "a.json: program: must be an array of strings"},
      {"/program", {"sample", 1}, "a.json: program: must be an array of strings"},
      {"/colour", "red", "a.json: colour: unknown field"},
      {"/co\nlour", "red", "a.json: co\uFFFDlour: unknown field"},
      {"/options/speed", {"--fast"}, "a.json: options.speed: unknown field"},
      {"/options/model", "-m", "a.json: options.model: must be an array of strings"},
      {"/env", {"A"}, "a.json: env: must be an object of strings"},
      {"/env/SAMPLE", 1, "a.json: env.SAMPLE: must be a string"},
      {"/input/stability_ms", "1s",
       "a.json: input.stability_ms: must be a whole number from 0 to 86400000"},
      {"/input/stability_ms", -1,
       "a.json: input.stability_ms: must be a whole number from 0 to 86400000"},
      {"/input/stability_ms", 1.5,
       "a.json: input.stability_ms: must be a whole number from 0 to 86400000"},
      {"/input/stability_ms", 18446744073709551615U,
       "a.json: input.stability_ms: must be a whole number from 0 to 86400000"},
      {"/input/keys/bytes", "2",
       "a.json: input.keys.bytes: must be a whole number from 0 to 86400000"},
      {"/input/keys/between", "Fin", "a.json: input.keys.between: is not the name of a key"},
      {"/input/keys/rows", 2, "a.json: input.keys.rows: unknown field"},
      {"/input/delay", 1, "a.json: input.delay: unknown field"},
      {"/quit/keys", "C-c", "a.json: quit.keys: must be an array of strings"},
      {"/timing/idle", 1, "a.json: timing.idle: unknown field"},
      {"/timing", Json::array(), "a.json: timing: must be an object"},
      {"/transcript/agent", "(", "a.json: transcript.agent: pattern \"(\": missing ): ("},
      {"/transcript/drop/0", "(", "a.json: transcript.drop[0]: pattern \"(\": missing ): ("},
      {"/user_message", "(", "a.json: user_message: pattern \"(\": missing ): ("},
      {"/box/prompt", "(", "a.json: box.prompt: pattern \"(\": missing ): ("},
      {"/box/top", "(\n", "a.json: box.top: pattern \"(\uFFFD\": missing ): (\uFFFD"},
      {"/box/prompt", nullptr, "a.json: box: needs either prompt or side, or enclosed"},
      {"/box/side", "^|", "a.json: box: needs either prompt or side, or enclosed"},
      {"/box", {{"side", "^|"}}, "a.json: box.bottom: is missing"},
      {"/box/colour", "", "a.json: box.colour: unknown field"},
      {"/rules", "none", "a.json: rules: must be an array"},
      {"/rules/0", "none", "a.json: rules[0]: must be an object"},
      {"/rules/0/id", nullptr, "a.json: rules[0]: id: is missing"},
      {"/rules/0/id", 7, "a.json: rules[0]: id: must be a string"},
      {"/rules/0/status", "busy", "a.json: rule permission: status: \"busy\"" + no_status},
      {"/rules/0/status", "exited", "a.json: rule permission: status: \"exited\"" + no_status},
      {"/rules/0/status", "starting", "a.json: rule permission: status: \"starting\"" + no_status},
      {"/rules/0/status", nullptr, "a.json: rule permission: status: is missing"},
      {"/rules/0/cause", "bored", "a.json: rule permission: cause: \"bored\"" + no_cause},
      {"/rules/0/cause", "api", "a.json: rule permission: cause: \"api\"" + no_cause},
      {"/rules/0/priority", "high",
       "a.json: rule permission: priority: must be a whole number from 0 to 86400000"},
      {"/rules/0/confirm_ms", true,
       "a.json: rule permission: confirm_ms: must be a whole number from 0 to 86400000"},
      {"/rules/0/colour", "red", "a.json: rule permission: colour: unknown field"},
      {"/rules/0/when", nullptr, "a.json: rule permission: when: is missing"},
      {"/rules/0/when", Json::array(),
       "a.json: rule permission: when: must be an array of conditions"},
      {"/rules/0/when/0", "Allow", when + ": must be an object"},
      {"/rules/0/when/0/match", "(", when + ".match: pattern \"(\": missing ): ("},
      {"/rules/0/when/0/match", 7, when + ".match: must be a string"},
      {"/rules/0/when/0/match", nullptr,
       when + ": needs one of match, no, joined, moves, seen, moved, still, paste, cursor, "
              "entered, menu, box, any, all"},
      {"/rules/0/when/0/unless_after", "[", when + ".unless_after: pattern \"[\": missing ]: ["},
      {"/rules/0/when/0/no", "x", when + ".no: unknown field"},
      {"/rules/0/when/0/in", "middle", when + ".in: \"middle\"" + no_region},
      {"/rules/0/when/0/in", nullptr, when + ".in: \"\"" + no_region},
      {"/rules/0/when/0/in", "bottom", when + ".in: \"bottom\"" + no_region},
      {"/rules/0/when/0/in", "bottom:", when + ".in: \"bottom:\"" + no_region},
      {"/rules/0/when/0/in", "bottom:0", when + ".in: \"bottom:0\"" + no_region},
      {"/rules/0/when/0/in", "bottom:3x", when + ".in: \"bottom:3x\"" + no_region},
      {"/rules/0/when/0/in", "above:99999999999", when + ".in: \"above:99999999999\"" + no_region},
      {"/rules/0/when/0/in", "title:3", when + ".in: \"title:3\"" + no_region},
      {"/rules/0/when/1/box", "no", "a.json: rule permission: when[1].box: must be true or false"},
      {"/rules/0/when/2/any/0/no", "(",
       "a.json: rule permission: when[2].any[0].no: pattern \"(\": missing ): ("},
      {"/rules/0/when/2/any/0/unless_after", "x",
       "a.json: rule permission: when[2].any[0].unless_after: unknown field"},
      {"/rules/0/when/2/any", Json::array(),
       "a.json: rule permission: when[2].any: must be an array of conditions"},
      {"/rules/0/causes", "question",
       "a.json: rule permission: causes: must be an object of patterns"},
      {"/rules/0/causes/question", "(",
       "a.json: rule permission: causes.question: pattern \"(\": missing ): ("},
      {"/rules/0/causes/auth", "x", "a.json: rule permission: causes.auth: \"auth\"" + no_cause},
  };
  for (const Mistake& mistake : mistakes) {
    INFO(mistake.path << " = " << mistake.value.dump());
    CHECK(error_with(mistake.path, mistake.value) == mistake.text);
  }
  CHECK(error_with("/title", "no mistake") == "accepted");
}

TEST_CASE("What is no JSON object is said to be none") {
  CHECK(parse_manifest("{", "a.json").error().text == "a.json: not valid JSON");
  CHECK(parse_manifest("", "a.json").error().text == "a.json: not valid JSON");
  CHECK(parse_manifest("{\"name\": \"\xff\"}", "a.json").error().text == "a.json: not valid JSON");
  CHECK(parse_manifest("[]", "a.json").error().text == "a.json: must be an object");
  CHECK(parse_manifest("7", "a.json").error().text == "a.json: must be an object");
}

TEST_CASE("A file that is too long or too deep is not looked into") {
  CHECK(parse_manifest(std::string(65'537, ' '), "a.json").error().text ==
        "a.json: more than 65536 bytes");
  Json json = sample();
  for (int depth = 0; depth < 20; ++depth) {
    json["rules"][0]["when"] = Json::array({{{"any", json["rules"][0]["when"]}}});
  }
  CHECK(parse(json).error().text == "a.json: nested more than 32 deep");
  const std::string brackets = std::string(30'000, '[') + std::string(30'000, ']');
  CHECK(parse_manifest(brackets, "a.json").error().text == "a.json: nested more than 32 deep");
}

TEST_CASE("More patterns than a rule set takes are an error that names the rule") {
  Json json = sample();
  for (int i = 0; i < 200; ++i) {
    Json rule = json["rules"][0];
    rule["id"] = "r" + std::to_string(i);
    rule.erase("causes");
    rule["when"][0]["match"] = "word" + std::to_string(i);
    json["rules"].push_back(rule);
  }
  const std::string text = parse(json).error().text;
  CHECK(text.find("a.json: rule r1") == 0);
  CHECK(text.find(": when[0]: more than 128 patterns") != std::string::npos);
  CHECK(error_with("/transcript/drop", std::vector<std::string>(129, "a")) ==
        "a.json: transcript.drop: too many patterns");
}

TEST_CASE("A record says which files an agent keeps and what their lines are") {
  Json json = sample();
  json["record"] = Json::parse(R"({
    "about": "For people.",
    "home": ["$SAMPLE_HOME", "$HOME/.sample"],
    "files": "sessions/*.jsonl",
    "lines": [
      {"is": "nothing", "when": {"/hidden": true}},
      {"is": "user", "when": {"/type": "user"}, "content": ["/text"]},
      {"is": "tool", "when": {"/type": "call", "/hidden": false}, "content": ["/a/b", "/name"]}
    ],
    "aside": "^<",
    "tool": "/name",
    "time": "/time",
    "cwd": "/cwd",
    "id": "/id",
    "all": "/all"
  })");
  const base::Result<Manifest> manifest = parse(json);
  REQUIRE(manifest.ok());
  const RecordSpec& record = manifest->record;
  CHECK(record.home == std::vector<std::string>{"$SAMPLE_HOME", "$HOME/.sample"});
  CHECK(record.files == "sessions/*.jsonl");
  CHECK(record.aside + record.tool + record.time + record.cwd + record.id + record.all ==
        "^</name/time/cwd/id/all");
  using Way = std::pair<std::string, std::string>;
  REQUIRE(record.lines.size() == 3);
  CHECK(record.lines[0].kind == RecordSpec::Line::Kind::kNothing);
  CHECK(record.lines[0].when == std::vector<Way>{{"/hidden", "true"}});
  CHECK(record.lines[1].kind == RecordSpec::Line::Kind::kUser);
  CHECK(record.lines[1].content == std::vector<std::string>{"/text"});
  CHECK(record.lines[2].kind == RecordSpec::Line::Kind::kTool);
  CHECK(record.lines[2].when == std::vector<Way>{{"/type", "call"}, {"/hidden", "false"}});
  CHECK(record.lines[2].content == std::vector<std::string>{"/a/b", "/name"});

  const auto error_of = [&json](const char* path, const Json& value) {
    Json wrong = json;
    wrong[Json::json_pointer(path)] = value;
    return parse(wrong).ok() ? "accepted" : parse(wrong).error().text;
  };
  const std::string line = "a.json: record.lines[1]";
  CHECK(error_of("/record/home", "$HOME") == "a.json: record.home: must be an array of strings");
  CHECK(error_of("/record/home/0", "~/.x") ==
        "a.json: record.home: \"~/.x\" must begin with $VARIABLE");
  CHECK(error_of("/record/files", "") == "a.json: record.files: is missing");
  for (const char* files : {"/etc", "a/", "a//b", "..", "a/../b", "./a"}) {
    INFO(files);
    CHECK(error_of("/record/files", files) == "a.json: record.files: must be names below the home");
  }
  CHECK(error_of("/record/aside", "(") == "a.json: record.aside: pattern \"(\": missing ): (");
  CHECK(error_of("/record/tool", "name") == "a.json: record.tool: \"name\" must begin with /");
  CHECK(error_of("/record/lines", 1) == "a.json: record.lines: must be an array");
  CHECK(error_of("/record/lines/1/is", "agents") ==
        line + ".is: \"agents\" is none of nothing, user, agent, tool; did you mean agent?");
  CHECK(error_of("/record/lines/1/when", "user") ==
        line + ".when: must be an object of members and values");
  CHECK(error_of("/record/lines/1/when/type", "user") ==
        line + ".when.type: \"type\" must begin with /");
  CHECK(error_of("/record/lines/1/when", {{"/type", 1}}) == line + ".when./type: must be a string");
  CHECK(error_of("/record/lines/1/when", Json::object()) ==
        line + ".when: must be an object of members and values");
  CHECK(error_of("/record/lines/1/content", Json::array()) == line + ".content: is missing");
  CHECK(error_of("/record/lines/0/content", {"/text"}) ==
        "a.json: record.lines[0].content: is not read of a line that is nothing");
  CHECK(error_of("/record/lines/1/content/0", "text") ==
        line + ".content[0]: \"text\" must begin with /");
  CHECK(error_of("/record/path", "x") == "a.json: record.path: unknown field");
}

TEST_CASE("The agents whose session files were seen have a record") {
  for (const EmbeddedManifest& embedded : embedded_manifests()) {
    const base::Result<Manifest> manifest = parse_manifest(embedded.text, embedded.file);
    INFO(embedded.file);
    const std::set<std::string> seen{"claude", "codex", "gemini", "kilo", "opencode", "pi", "qwen"};
    CHECK(manifest->record.files.empty() != seen.contains(manifest->name));
    CHECK(manifest->record.lines.empty() == manifest->record.files.empty());
  }
}

}  // namespace orch::adapters
