// --output-schema: the agent's last words are JSON that fits.
#include "run/output_check.h"

#include <catch2/catch.hpp>
#include <memory>

#include "machine_rig.h"

namespace orch::run {
namespace {

std::shared_ptr<const base::JsonSchema> schema() {
  auto parsed = base::JsonSchema::parse(
      R"({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}})");
  REQUIRE(parsed);
  return std::make_shared<const base::JsonSchema>(std::move(parsed).value());
}

std::string found(const std::string& words) {
  const FoundOutput output = find_output(words, "DONE", *schema());
  CHECK(output.json.empty() == !output.trouble.empty());
  return output.json.empty() ? output.trouble : output.json;
}

RunPlan wanting(int fix_turns) {
  RunPlan plan = plan_of(Until::kComplete);
  plan.output_schema = schema();
  plan.gates.fix_turns = fix_turns;
  return plan;
}

TEST_CASE("the value is all of the last words, their last block, or what a line begins") {
  for (const char* words :
       {R"({"n": 1})", "{\n  \"n\": 1\n}\nDONE", "\n{\"n\":1}\n\n**DONE**\n",
        "Here it is:\n{\"n\": 1}", "Here [it] is:\n\n```json\n{\"n\": 1}\n```\nDONE",
        "See {x}\n{\n\"n\": 1 }\n\nDONE"}) {
    INFO(words);
    CHECK(found(words) == R"({"n":1})");
  }
  for (const char* words : {"", "DONE", "All is done.\nDONE", "{\"n\": 1}\nThat is it.\nDONE",
                            "```\n{\"n\": 1\n```", "{\"n\": 1} and more"}) {
    INFO(words);
    CHECK(found(words) == "the last words are no JSON value");
  }
  CHECK(found("17\nDONE") == "the value: 17 is not of type object");
  CHECK(found("{\"n\": \"x\"}") == "/n: \"x\" is not of type integer");
}

TEST_CASE("words before a tool do not count, and the agent's own record counts more than lines") {
  LastWords words;
  const auto say = [&words](const char* text, agent::Speaker speaker, bool continues = false) {
    words.on_line({.text = text, .speaker = speaker, .continues = continues});
  };
  say("before", agent::Speaker::kAgent);
  say("Bash(ls)", agent::Speaker::kTool);
  say("{\"n\":", agent::Speaker::kAgent);
  say("1}", agent::Speaker::kAgent, true);
  CHECK(words.text() == "{\"n\": 1}");
  words.on_record({.last_words = "as written", .tool_after = false});
  say("later", agent::Speaker::kAgent);
  CHECK(words.text() == "as written");
  say("the next message", agent::Speaker::kUser);
  CHECK(words.text() == "");
  words.on_record({.last_words = "x", .tool_after = true});
  CHECK(words.text() == "");
}

TEST_CASE(
    "a value that does not fit goes back into the conversation, as often as --fix-turns says") {
  Rig rig(wanting(1));
  rig.turn({"All is done.", "LOOP_COMPLETE"});
  REQUIRE(rig.stops().empty());
  CHECK(rig.machine().fixes() == 1);
  rig.turn({R"({"n": 3})", "LOOP_COMPLETE"});
  REQUIRE(rig.stops().size() == 1);
  rig.exits(0);
  CHECK(rig.machine().verdict().reason == event::ExitReason::kComplete);
  CHECK(rig.machine().output() == R"({"n":3})");
  REQUIRE(rig.machine().gates().size() == 2);
  CHECK(rig.machine().gates()[0].output == "the last words are no JSON value");
  CHECK(rig.machine().gates()[1].passed());
}

TEST_CASE("without a fix turn left the run fails with the reason") {
  Rig rig(wanting(0));
  rig.turn({R"({"n": "x"})", "LOOP_COMPLETE"});
  rig.exits(0);
  CHECK(rig.machine().verdict().reason == event::ExitReason::kGateFailed);
  CHECK(rig.machine().verdict().detail == "--output-schema: /n: \"x\" is not of type integer");
  CHECK(rig.machine().output() == "");
}

TEST_CASE("the gates run after the schema has been met") {
  RunPlan plan = wanting(0);
  plan.gates.commands = {"make"};
  Rig rig(std::move(plan));
  rig.turn({R"({"n": 3})", "LOOP_COMPLETE"});
  REQUIRE(rig.gates().size() == 1);
  CHECK(rig.gates()[0].n == 2);
  rig.gate_ends(0);
  rig.exits(0);
  CHECK(rig.machine().verdict().reason == event::ExitReason::kComplete);
}

}  // namespace
}  // namespace orch::run
