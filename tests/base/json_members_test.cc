#include "base/json_members.h"

#include <catch2/catch.hpp>

using orch::base::Json;
using orch::base::JsonAuthor;
using orch::base::JsonDocument;
using orch::base::JsonLimits;
using orch::base::JsonMembers;

namespace {

enum class Colour { kNone, kRed };
std::optional<Colour> colour_named(std::string_view name) {
  if (name.empty()) return Colour::kNone;
  return name == "red" ? std::optional(Colour::kRed) : std::nullopt;
}

struct Thing {
  std::string name;
  std::optional<int64_t> size;
  uint8_t weight = 3;
  std::vector<std::string> parts;
  bool round = false;
  Colour colour = Colour::kNone;
};

void read(JsonMembers& in, Thing& thing) {
  in.required("name", thing.name);
  in.optional("size", thing.size);
  in.optional("weight", thing.weight);
  in.optional("parts", thing.parts);
  in.optional("round", thing.round);
  in.word("colour", colour_named, thing.colour);
}

std::string error_of(std::string_view text, JsonAuthor author = JsonAuthor::kProgram,
                     const JsonLimits& limits = {}) {
  JsonDocument document("thing", text, author, limits);
  Thing thing;
  {
    JsonMembers in(document);
    read(in, thing);
    if (const Json* box = in.find("box")) {
      JsonMembers inner(in, *box, "box");
      bool open = false;
      inner.optional("open", open);
      if (const Json* lid = inner.find("lid")) {
        JsonMembers innermost(inner, *lid, inner.place_of("lid") + ":");
        innermost.required("name", thing.name);
      }
    }
  }
  const auto read = document.finish(thing);
  return read ? "" : read.error().text;
}

std::string persons_error(std::string_view text) { return error_of(text, JsonAuthor::kPerson); }

}  // namespace

TEST_CASE("an error has the way to the member that it is about") {
  const auto way = [](std::string_view text) {
    JsonDocument document("", text, JsonAuthor::kPerson);
    {
      JsonMembers in(document);
      if (const Json* list = in.find("list")) {
        for (const Json& one : *list) {
          JsonMembers inner(in, one, "an element");
          int size = 0;
          inner.required("size", size);
        }
      }
    }
    return document.ok() ? "none" : document.way();
  };
  CHECK(way(R"({"list": [{"size": 1}]})") == "none");
  CHECK(way(R"({"list": [{"size": 1}, {"size": "x"}]})") == "list[1].size");
  CHECK(way(R"({"list": [{"size": 1}, {}]})") == "list[1].size");
  CHECK(way(R"({"list": [{"size": 1}, 7]})") == "list[1]");
  CHECK(way(R"({"list": [{"size": 1, "sice": 2}]})") == "list[0].sice");
  CHECK(way(R"({"other": 1})") == "other");
  CHECK(way("[]").empty());
}

TEST_CASE("members are read by their names; of a program's null is missing, others are ignored") {
  JsonDocument document("", R"({"name":"ball","size":7,"weight":255,"parts":["a","b"],"round":true,
                                "colour":"red","other":[1],"none":null})");
  JsonMembers in(document);
  Thing thing;
  std::optional<int> none;
  read(in, thing);
  in.optional("none", none);
  CHECK(document.ok());
  CHECK(thing.name == "ball");
  CHECK(thing.size == 7);
  CHECK(thing.weight == 255);
  CHECK(thing.parts == std::vector<std::string>{"a", "b"});
  CHECK(thing.round);
  CHECK(thing.colour == Colour::kRed);
  CHECK_FALSE(none.has_value());
}

TEST_CASE("what is missing stays as it was") {
  JsonDocument document("", R"({"name":"ball"})");
  JsonMembers in(document);
  Thing thing;
  read(in, thing);
  CHECK(document.ok());
  CHECK_FALSE(thing.size.has_value());
  CHECK(thing.weight == 3);
}

TEST_CASE("the first thing that is wrong is named") {
  CHECK(error_of(R"({"name":"x"})").empty());
  CHECK(error_of("[]") == "thing: must be an object");
  CHECK(error_of("{") == "thing: not valid JSON");
  CHECK(error_of(std::string(100, '[')) == "thing: nested more than 32 deep");
  CHECK(error_of("{}") == "thing: name: is missing");
  CHECK(error_of(R"({"name":1,"size":"x"})") == "thing: name: must be a string");
  CHECK(error_of(R"({"name":"x","size":-1})") ==
        "thing: size: must be a whole number from 0 to 9223372036854775807");
  CHECK(error_of(R"({"name":"x","size":1.5})") ==
        "thing: size: must be a whole number from 0 to 9223372036854775807");
  CHECK(error_of(R"({"name":"x","weight":256})") ==
        "thing: weight: must be a whole number from 0 to 255");
  CHECK(error_of(R"({"name":"x","parts":"a"})") == "thing: parts: must be an array of strings");
  CHECK(error_of(R"({"name":"x","parts":["a",1]})") == "thing: parts: must be an array of strings");
  CHECK(error_of(R"({"name":"x","round":1})") == "thing: round: must be true or false");
  CHECK(error_of(R"({"name":"x","colour":"blue"})") ==
        "thing: colour: \"blue\" is not a known word");
  CHECK(error_of("{\"name\":\"x\",\"colour\":\"\\u001b[2J\"}") ==
        "thing: colour: \"\uFFFD[2J\" is not a known word");
}

TEST_CASE("an error in an object within another one says where that stands") {
  CHECK(error_of(R"({"name":"x","box":{"lid":{"name":"y"}}})").empty());
  CHECK(error_of(R"({"name":"x","box":1})") == "thing: box: must be an object");
  CHECK(error_of(R"({"name":"x","box":{"open":1}})") == "thing: box.open: must be true or false");
  CHECK(error_of(R"({"name":"x","box":{"lid":{}}})") == "thing: box.lid: name: is missing");
  CHECK(error_of(R"({"name":"x","box":{"lid":[]}})") == "thing: box.lid: must be an object");
}

TEST_CASE("what a person wrote has no member that nobody asks for, and no null") {
  CHECK(persons_error(R"({"name":"x"})").empty());
  CHECK(persons_error(R"({"name":"x","nmae":"y"})") ==
        "thing: nmae: unknown field; did you mean name?");
  CHECK(persons_error(R"({"name":"x","box":{"opne":true}})") ==
        "thing: box.opne: unknown field; did you mean open?");
  CHECK(persons_error(R"({"name":"x","parts":null})") ==
        "thing: parts: must be an array of strings");
  CHECK(persons_error(R"({"name":"x","size":null})") ==
        "thing: size: must be a whole number from 0 to 9223372036854775807");
  CHECK(persons_error(R"({"nmae":"y"})") == "thing: name: is missing");
}

TEST_CASE("a text is read within its limits") {
  const JsonLimits limits{.bytes = 30, .depth = 2, .number = 9};
  CHECK(error_of(R"({"name":"x","size":9})", JsonAuthor::kProgram, limits).empty());
  CHECK(error_of(R"({"name":"x","size":10})", JsonAuthor::kProgram, limits) ==
        "thing: size: must be a whole number from 0 to 9");
  CHECK(error_of(R"({"name":"x","other":[[[]]]})", JsonAuthor::kProgram, limits) ==
        "thing: nested more than 2 deep");
  CHECK(error_of(R"({"name":"xxxxxxxxxxxxxxxxxxxxxx"})", JsonAuthor::kProgram, limits) ==
        "thing: more than 30 bytes");
}

TEST_CASE("a document's lists take a time that grows with their length alone") {
  std::string list = R"({"name":"x","parts":["a")";
  for (int i = 0; i < 100'000; ++i) list += R"(,"a")";
  CHECK(error_of(list + "],\"list\":[{}" +
                 [] {
                   std::string objects;
                   for (int i = 0; i < 100'000; ++i) objects += ",{}";
                   return objects;
                 }() +
                 "]}")
            .empty());
  std::string wide = R"({"name":"x")";
  for (int i = 0; i < 2'000; ++i) wide += ",\"" + std::to_string(i) + "\":0";
  CHECK(error_of(wide + "}") == "thing: an object of more than 2000 members");
}
