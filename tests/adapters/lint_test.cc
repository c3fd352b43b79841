#include "adapters/lint.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "adapters/embedded.h"
#include "adapters/json_place.h"

namespace orch::adapters {
namespace {

using Json = nlohmann::ordered_json;

Json whole_manifest() {
  return Json::parse(R"({
    "manifest": 1,
    "name": "sample",
    "program": ["sample"],
    "options": {"model": ["-m", "{}"]},
    "env": {"SAMPLE": "1"},
    "input": {"stability_ms": 700},
    "quit": {"keys": ["C-c"], "wait_ms": 100},
    "transcript": {"agent": "^• ", "drop": ["^─+$"]},
    "box": {"prompt": "^> ", "bottom": "^─"},
    "timing": {"idle_ms": 250},
    "notices": [{"id": "stop", "match": "^hook Stop"}],
    "dialogs": {"kinds": [{"id": "edit", "kind": "permission", "title": "^Edit$", "asks": "\\?$"}]},
    "rules": [{
      "id": "permission",
      "status": "waiting",
      "cause": "permission",
      "priority": 10,
      "when": [{"in": "bottom:3", "match": "Allow"}, {"box": false}],
      "causes": {"question": "\\?"}
    }, {
      "id": "busy",
      "status": "working",
      "when": [{"in": "below", "match": "esc to interrupt"}]
    }, {
      "id": "prompt",
      "status": "idle",
      "when": [{"box": true}]
    }]
  })");
}

// The text at the place that a line of the lint names: "a.json:12:5: ...".
std::string_view named_place(std::string_view text, const std::string& line) {
  for (size_t offset = 0; offset <= text.size(); ++offset) {
    if (line.starts_with("a.json:" + line_and_column(text, offset) + ": ")) {
      return text.substr(offset);
    }
  }
  return "no such place";
}

struct Wrong {
  const char* path;  // of the member that is changed
  Json value;        // null: it is removed
  const char* at;    // the text at the place
  const char* line;  // behind the place
};

const std::vector<Wrong>& wrong_members() {
  static const std::vector<Wrong> kAll{
      {"/nmae", "x", "\"nmae\"", "nmae: unknown field; did you mean name?"},
      {"/colour", "red", "\"colour\"",
       "colour: unknown field; orch agents --schema has the known ones"},
      {"/name", nullptr, "{", "name: is missing"},
      {"/name", "a b", "\"name\"", "name: must be letters, digits, _ and -, at most 64"},
      {"/manifest", 2, "\"manifest\"", "manifest: must be 1, the version of this format"},
      {"/program", "sample", "\"program\"", "program: must be an array of strings"},
      {"/options/speed",
       {"--fast"},
       "\"speed\"",
       "options.speed: unknown field; orch agents --schema has the known ones"},
      {"/env/SAMPLE", 1, "\"SAMPLE\"", "env.SAMPLE: must be a string"},
      {"/input/stability_ms", "1s", "\"stability_ms\"",
       "input.stability_ms: must be a whole number from 0 to 86400000"},
      {"/input/stabilty_ms", 1, "\"stabilty_ms\"",
       "input.stabilty_ms: unknown field; did you mean stability_ms?"},
      {"/quit/keys", "C-c", "\"keys\"", "quit.keys: must be an array of strings"},
      {"/timing/idle_sm", 1, "\"idle_sm\"", "timing.idle_sm: unknown field; did you mean idle_ms?"},
      {"/timing", Json::array(), "\"timing\"", "timing: must be an object"},
      {"/transcript/agent", "(", "\"agent\"", "transcript.agent: pattern \"(\": missing ): ("},
      {"/transcript/agent", ".*", "\"agent\"",
       "transcript.agent: \".*\" fits every row; name words or signs of the rows that it means"},
      {"/transcript/drop/0", "^", "\"^\"",
       "transcript.drop[0]: \"^\" fits every row; name words or signs of the rows that it means"},
      {"/box/prompt", nullptr, "\"box\"", "box: needs either prompt or side, or enclosed"},
      {"/box/side", "^|", "\"box\"", "box: needs either prompt or side, or enclosed"},
      {"/options/model", "-m", "\"model\"", "options.model: must be an array of strings"},
      {"/box/promt", "x", "\"promt\"", "box.promt: unknown field; did you mean prompt?"},
      {"/notices/0/match", nullptr, "{", "notices[0].match: is missing"},
      {"/notices/0/match", "", "\"match\"", "notices[0].match: is missing"},
      {"/notices/0/match", "x*", "\"match\"",
       "notices[0].match: \"x*\" fits every row; name words or signs of the rows that it means"},
      {"/rules", "none", "\"rules\"", "rules: must be an array"},
      {"/rules/0", "none", "\"none\"", "rules[0]: must be an object"},
      {"/rules/0/id", nullptr, "{", "rules[0]: id: is missing"},
      {"/rules/1/id", "permission", "\"id\"",
       "rules[1].id: \"permission\" is the id of rules[0] too; give each its own"},
      {"/rules/0/status", "busy", "\"status\"",
       "rule permission: status: \"busy\" is none of idle, working, waiting, error"},
      {"/rules/1/statsu", "idle", "\"statsu\"",
       "rule busy: statsu: unknown field; did you mean status?"},
      {"/rules/0/cause", "bored", "\"cause\"",
       "rule permission: cause: \"bored\" is none of permission, question, plan, trust, login, "
       "onboarding, update, mode, hooks, servers, imports, resume, limit"},
      {"/rules/0/priority", "high", "\"priority\"",
       "rule permission: priority: must be a whole number from 0 to 86400000"},
      {"/rules/1/when", nullptr, "{", "rule busy: when: is missing"},
      {"/rules/1/when/0/in", "middle", "\"in\"",
       "rule busy: when[0].in: \"middle\" is not a region (screen, bottom:N, box, above:N, below, "
       "turn, dialog, title, report, progress)"},
      {"/rules/1/when/0/match", nullptr, "{",
       "rule busy: when[0]: needs one of match, no, joined, moves, seen, moved, still, paste, "
       "cursor, entered, menu, box, any, all"},
      {"/rules/1/when/0/match", "[", "\"match\"",
       "rule busy: when[0].match: pattern \"[\": missing ]: ["},
      {"/rules/1/when/0/match", ".*", "\"match\"",
       "rules[1].when[0].match: \".*\" fits every row; name words or signs of the rows that it "
       "means"},
      {"/rules/1/when/0",
       {{"any", {{{"in", "title"}, {"no", ".?"}}}}},
       "\"no\"",
       "rules[1].when[0].any[0].no: \".?\" fits every row; name words or signs of the rows that it "
       "means"},
      {"/rules/1/when/0/unless_atfer", "x", "\"unless_atfer\"",
       "rule busy: when[0].unless_atfer: unknown field; did you mean unless_after?"},
      {"/rules/0/causes/auth", "x", "\"auth\"",
       "rule permission: causes.auth: \"auth\" is none of permission, question, plan, trust, "
       "login, "
       "onboarding, update, mode, hooks, servers, imports, resume, limit"},
      {"/rules/1",
       {{"id", "late"}, {"status", "idle"}, {"when", whole_manifest()["rules"][0]["when"]}},
       "{",
       "rules[1]: never applies: rule permission has the same conditions and wins; change a "
       "condition or remove one of them"},
      {"/rules/1/status", "wroking", "\"status\"",
       "rule busy: status: \"wroking\" is none of idle, working, waiting, error; did you mean "
       "working?"},
      {"/rules/2/status", "working", "\"rules\"",
       "rules: none of them finds idle, so orch never types a message; write one that does"},
      {"/program", nullptr, "{", "program: is missing; name the agent's program"},
      {"/options/model/1", "value", "\"model\"",
       "options.model: has no {} for the value; add it as a word, or in one"},
      {"/quit/keys/0", "Ctrl+C", "\"Ctrl+C\"",
       "quit.keys[0]: \"Ctrl+C\" is not the name of a key; take one as Enter, Escape, C-c, Up"},
      {"/reset",
       {{"keys", {"Esc"}}},
       "\"Esc\"",
       "reset.keys[0]: \"Esc\" is not the name of a key; take one as Enter, Escape, C-c, Up"},
      {"/rules/1/when/1",
       {{"box", true}, {"in", "screen"}},
       "\"in\"",
       "rule busy: when[1].in: unknown field; orch agents --schema has the known ones"},
      {"/rules/2/when/1",
       {{"box", false}},
       "{",
       "rules[2].when[1]: never holds together with rules[2].when[0]; remove one"},
      {"/rules/1/when/1",
       {{"in", "below"}, {"no", "esc to interrupt"}},
       "{",
       "rules[1].when[1]: never holds together with rules[1].when[0]; remove one"},
      {"/rules/3",
       {{"id", "late"},
        {"status", "idle"},
        {"when", {{{"in", "title"}, {"match", "x"}}, {{"box", true}}}}},
       "{",
       "rules[3]: never applies: rule prompt has fewer of the same conditions and wins; give this "
       "one the higher priority"},
      {"/rules/1/when/0/match", "^$", "\"match\"",
       "rules[1].when[0].match: never holds: conditions pass over blank rows; name other rows"},
      {"/rules/1/when/0/match", "a\\nb", "\"match\"",
       "rules[1].when[0].match: never fits: a row has no line feed; match one row"},
      {"/box/prompt", "^> $", "\"prompt\"",
       "box.prompt: never fits: a row has no blank at its end; leave the blank out"},
      {"/box/bottom", ".*", "\"bottom\"",
       "box.bottom: \".*\" fits every row; name words or signs of the rows that it means"},
      {"/box", Json::array(), "\"box\"", "box: must be one object, or a list of 1 to 8"},
      {"/input/keys",
       {{"between", "Fin"}},
       "\"between\"",
       "input.keys.between: is not the name of a key"},
      {"/timing/settle_ms", 500, "\"timing\"",
       "timing.max_settle_ms: is shorter than settle_ms; make it as long, or longer"},
      {"/dialogs/kinds/1", whole_manifest()["dialogs"]["kinds"][0], "\"id\"",
       "dialogs.kinds[1].id: \"edit\" is the id of dialogs.kinds[0] too; give each its own"},
      {"/dialogs/kinds/0/kind", "permision", "\"kind\"",
       "dialog edit: kind: \"permision\" is none of permission, question, plan, trust, login, "
       "onboarding, update, mode, hooks, servers, imports, resume, limit; did you mean "
       "permission?"},
      {"/dialogs/kinds/0/title", "(", "\"title\"",
       "dialog edit: title: pattern \"(\": missing ): ("},
      {"/dialogs/kinds/0/title", ".*", "\"title\"",
       "dialogs.kinds[0].title: \".*\" fits every row; name words or signs of the rows that it "
       "means"},
      {"/dialogs/edge", "line", "\"edge\"",
       "dialogs.edge: \"line\" is none of none, rule, frame, bar"},
      {"/dialogs/edge", "rule", "\"dialogs\"", "dialogs.top: is missing"},
      {"/dialogs/top", "^─", "\"top\"",
       "dialogs.top: is read only where \"edge\" is \"rule\"; set that, or remove this"},
      {"/dialogs/kinds/0/command",
       {{"in", "title"}},
       "\"command\"",
       "dialog edit: command.begins: is missing"},
      {"/dialogs/options",
       {{{"match", "^Ok$"}, {"means", "yes"}}},
       "\"means\"",
       "dialogs.options[0].means: \"yes\" is none of once, always, deny, other"},
      {"/transcript/drop/1", "[", "\"[\"", "transcript.drop[1]: pattern \"[\": missing ]: ["},
      {"/headless",
       {{"arguments", {"-p"}}, {"lines", {{{"is", "wrods"}, {"when", {{"/a", "b"}}}}}}},
       "\"is\"",
       "headless.lines[0].is: \"wrods\" is none of nothing, session, taken, words, tool, tool_end, "
       "tool_failed, retry, request, request_gone, notice, failure, end; did you mean words?"},
      {"/record",
       {{"home", {"~/.x"}}, {"files", "*.jsonl"}, {"lines", Json::array()}},
       "\"home\"",
       "record.home: \"~/.x\" must begin with $VARIABLE"},
      {"/session",
       {{"resume", {"--resume"}}},
       "\"resume\"",
       "session.resume: has no {} for the session's id"},
  };
  return kAll;
}

TEST_CASE("a wrong member is one line with its place in the file and the remedy") {
  for (const Wrong& wrong : wrong_members()) {
    INFO(wrong.path << " = " << wrong.value.dump());
    Json json = whole_manifest();
    const Json::json_pointer pointer(wrong.path);
    if (wrong.value.is_null()) {
      json[pointer.parent_pointer()].erase(pointer.back());
    } else {
      json[pointer] = wrong.value;
    }
    const std::string text = json.dump(2);
    const std::vector<std::string> found = lint_manifest(text, "a.json");
    REQUIRE(found.size() == 1);
    CHECK(found[0].ends_with(": " + std::string(wrong.line)));
    CHECK(named_place(text, found[0]).starts_with(wrong.at));
  }
}

TEST_CASE("at least forty kinds of mistakes are known") { CHECK(wrong_members().size() >= 40); }

TEST_CASE("a mistake in a rule or dialog is placed in it although another has the same id") {
  Json json = whole_manifest();
  json["rules"][1]["id"] = "permission";
  json["rules"][1]["statsu"] = "idle";
  const std::string text = json.dump(2);
  const std::vector<std::string> found = lint_manifest(text, "a.json");
  REQUIRE(found.size() == 1);
  CHECK(named_place(text, found[0]).starts_with("\"statsu\""));
}

TEST_CASE("a member that stands in an object twice") {
  const std::vector<std::string> found = lint_manifest(
      "{\"manifest\": 1, \"name\": \"a\", \"idle_known\": false,\n \"env\": {\"A\": \"1\", \"A\": "
      "\"2\"}}",
      "a.json");
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "a.json:2:20: A: stands there twice, and only the last one counts; remove one");
}

TEST_CASE("a condition on a box that is not described") {
  Json json = whole_manifest();
  json.erase("box");
  json["rules"] = Json::parse(R"([{"id": "prompt", "status": "idle",
    "when": [{"box": true}, {"in": "box", "match": "x"}]}])");
  json.erase("dialogs");
  const std::vector<std::string> found = lint_manifest(json.dump(2), "a.json");
  REQUIRE(found.size() == 2);
  CHECK(found[0].ends_with(
      ": rules[0].when[0].box: never holds: the manifest has no \"box\"; describe it"));
  CHECK(
      found[1].ends_with(": rules[0].when[1].in: the manifest has no \"box\" to look at; describe "
                         "it or name another region"));
}

TEST_CASE("what is not JSON is one line with the place of the mistake") {
  const std::string look =
      "look for a comma, quote or bracket that is missing or one too many before ";
  const auto lint = [](const char* text) {
    const std::vector<std::string> found = lint_manifest(text, "a.json");
    REQUIRE(found.size() == 1);
    return found[0];
  };
  CHECK(lint("{\n  \"ä\": 1\n  \"b\": 2\n}").starts_with("a.json:3:5: not valid JSON: " + look));
  CHECK(lint("{\"a\": [1, 2,]}").starts_with("a.json:1:13: not valid JSON: " + look));
  CHECK(lint("{\"a\": 1,\n}").starts_with("a.json:2:1: not valid JSON: " + look));
  CHECK(lint("{\"a\": 1")
            .ends_with(": not valid JSON: it ends too early; close each string and bracket"));
  CHECK(lint("") == "a.json:1:1: not valid JSON: it ends too early; close each string and bracket");
  CHECK(lint("[]") == "a.json: must be an object");
}

TEST_CASE("the manifests in the binary have no mistakes") {
  for (const EmbeddedManifest& embedded : embedded_manifests()) {
    INFO(embedded.file);
    CHECK(lint_manifest(embedded.text, embedded.file) == std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace orch::adapters
