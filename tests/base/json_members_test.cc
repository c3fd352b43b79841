#include "base/json_members.h"

#include <catch2/catch.hpp>

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
  std::vector<std::string> parts;
  bool round = false;
  Colour colour = Colour::kNone;
};

std::string error_of(std::string_view text) {
  JsonMembers in("thing", text);
  Thing thing;
  in.required("name", thing.name);
  in.optional("size", thing.size);
  in.optional("parts", thing.parts);
  in.optional("round", thing.round);
  in.word("colour", colour_named, thing.colour);
  const auto read = std::move(in).finish(thing);
  return read ? "" : read.error().text;
}

}  // namespace

TEST_CASE("members are read by their names, null is missing, others are ignored") {
  JsonMembers in("", R"({"name":"ball","size":7,"parts":["a","b"],"round":true,"colour":"red",
                         "other":[1],"none":null})");
  Thing thing;
  std::optional<int> none;
  in.required("name", thing.name);
  in.optional("size", thing.size);
  in.optional("parts", thing.parts);
  in.optional("round", thing.round);
  in.word("colour", colour_named, thing.colour);
  in.optional("none", none);
  CHECK(in.ok());
  CHECK(thing.name == "ball");
  CHECK(thing.size == 7);
  CHECK(thing.parts == std::vector<std::string>{"a", "b"});
  CHECK(thing.round);
  CHECK(thing.colour == Colour::kRed);
  CHECK_FALSE(none.has_value());
}

TEST_CASE("the first thing that is wrong is named") {
  CHECK(error_of(R"({"name":"x"})").empty());
  CHECK(error_of("[]") == "thing: not a JSON object");
  CHECK(error_of(std::string(100, '[')) == "thing: not a JSON object");
  CHECK(error_of("{}") == "thing: \"name\" is missing");
  CHECK(error_of(R"({"name":1,"size":"x"})") == "thing: \"name\" is not a string");
  CHECK(error_of(R"({"name":"x","size":-1})") == "thing: \"size\" is not a whole number from 0");
  CHECK(error_of(R"({"name":"x","size":18446744073709551615})") ==
        "thing: \"size\" is not a number of this size");
  CHECK(error_of(R"({"name":"x","parts":"a"})") == "thing: \"parts\" is not a list of strings");
  CHECK(error_of(R"({"name":"x","round":1})") == "thing: \"round\" is not true or false");
  CHECK(error_of(R"({"name":"x","colour":"blue"})") == "thing: \"colour\" is not a known word");
}
