// Checks every kind of record that to_json writes against docs/events.schema.json: it has the
// fields that the schema requires, no others, and only words of its enums. Only those keywords of
// JSON Schema are implemented that this file uses.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "event/event.h"

using namespace orch::event;
using Json = nlohmann::json;

namespace {

const Json& schema() {
  static const Json kSchema =
      Json::parse(std::ifstream(ORCH_SOURCE_DIR "/docs/events.schema.json"), nullptr, false);
  return kSchema;
}

const Json& resolve(const Json& part) {
  if (!part.contains("$ref")) return part;
  return schema().at(Json::json_pointer(part.at("$ref").get<std::string>().substr(1)));
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  return false;
}

bool fits(const Json& value, const Json& referring) {
  const Json& part = resolve(referring);
  if (part.contains("anyOf")) {
    const Json& ways = part.at("anyOf");
    return std::any_of(ways.begin(), ways.end(), [&](const Json& way) { return fits(value, way); });
  }
  if (part.contains("const")) return value == part.at("const");
  if (part.contains("enum")) {
    const Json& words = part.at("enum");
    return std::find(words.begin(), words.end(), value) != words.end();
  }
  const Json types = part.at("type").is_array() ? part.at("type") : Json::array({part.at("type")});
  return std::any_of(types.begin(), types.end(),
                     [&](const Json& type) { return has_type(value, type.get<std::string>()); });
}

void check_record(const std::string& text) {
  INFO(text);
  const Json record = Json::parse(text);
  const Json& kind = schema().at("$defs").at(record.at("event").get<std::string>());
  for (const Json& part : {schema(), kind}) {
    for (const Json& field : part.at("required")) CHECK(record.contains(field.get<std::string>()));
  }
  for (const auto& [field, value] : record.items()) {
    INFO(field);
    const bool common = schema().at("properties").contains(field);
    const Json& properties = common ? schema().at("properties") : kind.at("properties");
    REQUIRE(properties.contains(field));
    CHECK(fits(value, properties.at(field)));
    if (kind.at("properties").contains(field)) CHECK(fits(value, kind.at("properties").at(field)));
  }
}

template <typename T>
std::set<T> set_of(const Json& values) {
  return values.get<std::set<T>>();
}

}  // namespace

TEST_CASE("every kind of record fits the schema") {
  check_record(to_json(0, SessionStart{"orch-42", "20261121T100000-42-0a1b", "42", "claude",
                                       "2026-11-21T10:00:01.234Z"}));
  check_record(to_json(0, SessionStart{"", "", "", "claude", ""}));
  check_record(with_session(to_json(1, Turn{1, true}), "orch-42"));
  for (const int64_t at : {0, 86'400'000}) {
    check_record(to_json(at, StatusChange{}));
    check_record(to_json(at, StatusChange{AgentStatus::kError, Cause::kApi, AgentStatus::kIdle,
                                          "codex/api", 3, 2, 40}));
    for (const auto& [speaker, word] : kSpeakers) {
      check_record(to_json(at, Output{"line", speaker}));
      check_record(to_json(at, Output{"line", speaker, true, true}));
    }
    for (const auto phase : {MessagePhase::kQueued, MessagePhase::kSent, MessagePhase::kAccepted,
                             MessagePhase::kFailed}) {
      check_record(to_json(at, Message{"m1", phase, ""}));
    }
    check_record(to_json(at, Message{"m1", MessagePhase::kFailed, "timeout"}));
    check_record(to_json(at, Dialog{}));
    check_record(to_json(
        at,
        Dialog{Cause::kPermission, "t", "b", {"Yes"}, "Yes", "user", "Bash", "ls", {"a"}, true}));
    check_record(to_json(at, Turn{1, true}));
    check_record(to_json(at, Gate{.n = 1, .command = "make test"}));
    check_record(to_json(at, Gate{1, "make test", true, 2, 4'000, true, "two\nlines"}));
    for (const ExitRow& row : exit_table()) check_record(to_json(at, Exit{row.code, row.reason}));
  }
}

TEST_CASE("the schema names every kind of record once") {
  std::set<std::string> kinds;
  for (const Json& kind : schema().at("oneOf")) {
    const std::string name = kind.at("$ref").get<std::string>().substr(8);  // #/$defs/NAME
    CHECK(schema().at("$defs").at(name).at("/properties/event/const"_json_pointer) == name);
    kinds.insert(name);
  }
  CHECK(kinds == set_of<std::string>(schema().at("/properties/event/enum"_json_pointer)));
  CHECK(kinds.size() == std::variant_size_v<Event>);
}

TEST_CASE("the schema knows exactly the exit reasons of the table") {
  std::set<std::string> reasons;
  for (const ExitRow& row : exit_table()) reasons.emplace(row.name);
  CHECK(set_of<std::string>(schema().at("/$defs/exit/properties/reason/enum"_json_pointer)) ==
        reasons);
}

TEST_CASE("the schema pairs statuses and causes as the code does") {
  const Json& pairs = schema().at("/$defs/status/allOf"_json_pointer);
  std::set<std::string> seen;
  for (const Json& pair : pairs) {
    const auto status_name = pair.at("/if/properties/status/const"_json_pointer).get<std::string>();
    INFO(status_name);
    seen.insert(status_name);
    const std::optional<AgentStatus> status = status_named(status_name);
    REQUIRE(status);
    std::set<Json> expected;
    for (int i = 0; i <= static_cast<int>(Cause::kDraft); ++i) {
      const auto cause = static_cast<Cause>(i);
      if (!allowed(*status, cause)) continue;
      expected.insert(cause == Cause::kNone ? Json(nullptr) : Json(name(cause)));
      check_record(to_json(0, StatusChange{*status, cause, *status, "", -1, 1, 0}));
    }
    CHECK(set_of<Json>(pair.at("/then/properties/cause/enum"_json_pointer)) == expected);
  }
  CHECK(seen == set_of<std::string>(schema().at("/$defs/agent_status/enum"_json_pointer)));
  CHECK(seen.size() == static_cast<size_t>(AgentStatus::kExited) + 1);
}
