#include "base/json_schema.h"

#include <catch2/catch.hpp>

#include "base/json.h"

using orch::base::Json;
using orch::base::JsonSchema;

namespace {

std::string why_not(const char* schema, const char* value) {
  const auto parsed = JsonSchema::parse(schema);
  REQUIRE(parsed);
  return parsed->why_not(Json::parse(value));
}

}  // namespace

TEST_CASE("each keyword of a JSON schema takes what fits and names what does not") {
  struct Row {
    const char *schema, *good, *bad, *why;
  };
  const Row row = GENERATE(
      Row{R"({"type": "integer"})", "2.0", "2.5", "the value: 2.5 is not of type integer"},
      Row{R"({"type": ["string", "null"]})", "null", "1", "is not of type string or null"},
      Row{R"({"enum": ["a", {"x": 1, "y": 2}]})", R"({"y": 2, "x": 1})", R"("b")", "is none of"},
      Row{R"({"const": [1]})", "[1]", "[2]", "is not [1]"},
      Row{R"({"properties": {"a/b": {"type": "number"}}})", R"({"c": "x"})", R"({"a/b": "x"})",
          "/a~1b: \"x\" is not of type number"},
      Row{R"({"required": ["a"]})", R"({"a": null})", R"({"b": 1})", "has no member \"a\""},
      Row{R"({"properties": {"a": true}, "additionalProperties": false})", R"({"a": 1})",
          R"({"a": 1, "b": 2})", "/b: must not be there"},
      Row{R"({"additionalProperties": {"type": "string"}})", R"({"a": "x"})", R"({"a": 1})",
          "/a: "},
      Row{R"({"minProperties": 1, "maxProperties": 1})", R"({"a": 1})", "{}", "at least 1"},
      Row{R"({"items": {"type": "string"}})", R"(["a"])", R"(["a", 1])", "/1: 1 is not of type"},
      Row{R"({"minItems": 1, "maxItems": 2})", "[1]", "[1, 2, 3]", "has 3 items, and at most 2"},
      Row{R"({"uniqueItems": true})", "[1, 2]", "[1, 2, 1]", "1 stands there twice"},
      Row{R"({"minimum": 1, "maximum": 2})", "2", "3", "is beyond maximum 2"},
      Row{R"({"exclusiveMinimum": 1, "exclusiveMaximum": 3})", "2", "1", "exclusiveMinimum 1"},
      Row{R"({"minLength": 2, "maxLength": 2})", R"("äö")", R"("a")", "has 1 characters"},
      Row{R"({"pattern": "^a+$"})", R"("aa")", R"("ab")", "does not match"},
      Row{R"({"anyOf": [{"type": "string"}, {"type": "null"}]})", "null", "1",
          "fits none of anyOf"},
      Row{R"({"oneOf": [{"minimum": 1}, {"minimum": 5}]})", "3", "6", "more than one of oneOf"},
      Row{R"({"allOf": [{"minimum": 1}, {"maximum": 2}]})", "2", "3", "is beyond maximum"},
      Row{R"({"not": {"type": "string"}})", "1", R"("x")", "fits what it must not"},
      Row{R"({"$ref": "#/$defs/n", "$defs": {"n": {"items": {"$ref": "#/$defs/n"}, "type": "array"}}})",
          "[[], [[]]]", "[[], [1]]", "/1/0: 1 is not of type array"});
  INFO(row.schema);
  CHECK(why_not(row.schema, row.good) == "");
  const std::string why = why_not(row.schema, row.bad);
  INFO(why);
  CHECK(why.find(row.why) != std::string::npos);
}

TEST_CASE("keywords are about values of their own type alone, and notes about none") {
  for (const char* value : {"1", "\"x\"", "null", "[]", "{}"}) {
    CHECK(why_not(R"({"title": "t", "description": "d", "default": 1, "$schema": "s"})", value) ==
          "");
    CHECK(why_not("true", value) == "");
    CHECK(why_not("false", value) == "the value: must not be there");
  }
  CHECK(why_not(R"({"minimum": 5, "pattern": "x", "required": ["a"], "minItems": 9})", "true") ==
        "");
}

TEST_CASE("a schema that orch cannot check whole is refused") {
  struct Row {
    const char *schema, *why;
  };
  const Row row = GENERATE(
      Row{"{", "is not JSON"}, Row{"[]", "a schema is an object"},
      Row{R"({"format": "date"})", "format is no keyword that orch checks; it checks type, enum"},
      Row{R"({"properties": {"a": {"if": {}}}})", "/properties/a: if is no keyword"},
      Row{R"({"type": "text"})", "/type: names no type"},
      Row{R"({"items": [{}]})", "/items: a schema is an object"},
      Row{R"({"pattern": "("})", "/pattern: "}, Row{R"({"required": [1]})", "a list of texts"},
      Row{R"({"$ref": "other.json"})", "refers to nothing"}, Row{R"({"minItems": -1})", "a count"});
  const auto parsed = JsonSchema::parse(row.schema);
  REQUIRE_FALSE(parsed);
  INFO(parsed.error().text);
  CHECK(parsed.error().text.find(row.why) != std::string::npos);
}

TEST_CASE("a schema that refers to itself ends") {
  CHECK(why_not(R"({"$ref": "#"})", "1").find("takes too long") != std::string::npos);
  CHECK(why_not(R"({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]})", "1") != "");
}
