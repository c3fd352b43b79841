#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "adapters/embedded.h"
#include "adapters/lint.h"
#include "adapters/manifest.h"
#include "base/json.h"
#include "base/json_schema.h"
#include "store/file_io.h"

namespace orch::adapters {
namespace {

using base::Json;

const base::JsonSchema& schema() {
  static const base::JsonSchema kSchema =
      base::JsonSchema::parse(base::json_line(manifest_schema())).value();
  return kSchema;
}

// Calls `visit` with each object in a value, and with its place without indices: "/rules/when". The
// agent's own settings are left out.
void each_object(Json& value, const std::string& place,
                 const std::function<void(const std::string& place, Json& object)>& visit) {
  if (value.is_array()) {
    for (Json& item : value) each_object(item, place, visit);
  }
  if (!value.is_object()) return;
  visit(place, value);
  for (auto& [key, member] : value.items()) {
    if (key != "settings") each_object(member, place + "/" + key, visit);
  }
}

}  // namespace

TEST_CASE("the manifests in the binary fit the schema") {
  for (const EmbeddedManifest& embedded : embedded_manifests()) {
    INFO(embedded.file);
    CHECK(schema().why_not(base::parse_json(embedded.text)) == "");
  }
}

TEST_CASE("the schema refuses an unknown member wherever the reader does") {
  std::set<std::string> places;
  for (const EmbeddedManifest& embedded : embedded_manifests()) {
    Json manifest = base::parse_json(embedded.text);
    each_object(manifest, "", [&](const std::string& place, Json& object) {
      if (!places.insert(place).second) return;
      INFO(embedded.file << " " << place);
      object["/unknown"] = "x";
      const base::Result<Manifest> read = parse_manifest(base::json_line(manifest), "a.json");
      CHECK(schema().why_not(manifest).empty() == read.ok());
      if (!read.ok()) CHECK(read.error().text.find("/unknown") != std::string::npos);
      object.erase("/unknown");
    });
  }
  CHECK(places.size() > 50);
}

TEST_CASE("the schema refuses what misses a member, or has one of another type or word") {
  const auto refused = [](const char* path, const Json& value) {
    Json json = base::parse_json(R"({"manifest": 1, "name": "own", "rules": [
      {"id": "busy", "status": "working", "when": [{"any": [{"in": "bottom:3", "match": "x"}]}]}]})");
    const Json::json_pointer pointer(path);
    if (value.is_null()) {
      json[pointer.parent_pointer()].erase(pointer.back());
    } else {
      json[pointer] = value;
    }
    CHECK(schema().why_not(json).empty() == parse_manifest(base::json_line(json), "a.json").ok());
    return !schema().why_not(json).empty();
  };
  CHECK_FALSE(refused("/title", "x"));
  for (const char* path :
       {"/name", "/manifest", "/rules/0/id", "/rules/0/status", "/rules/0/when"}) {
    CHECK(refused(path, nullptr));
  }
  CHECK(refused("/program", "own"));
  CHECK(refused("/verified", 1));
  CHECK(refused("/rules/0/status", "busy"));
  CHECK(refused("/rules/0/when/0/any/0/in", "middle"));
  CHECK(refused("/rules/0/when/0/any/0/in", "bottom"));
  CHECK(refused("/rules/0/when/0/any/0/mtach", "x"));
  CHECK(refused("/rules/0/priority", "high"));
  CHECK_FALSE(refused("/box", base::parse_json(R"([{"prompt": "^> "}])")));
  CHECK(refused("/box", base::parse_json(R"([{"prompt": 1}])")));
}

TEST_CASE("the example in docs/manifest.md has no mistakes and fits the schema") {
  const std::string page = store::read_file(ORCH_SOURCE_DIR "/docs/manifest.md", 1 << 20).value();
  const std::string begin = "```json\n", end = "```\n";
  const size_t from = page.find(begin) + begin.size();
  const std::string example = page.substr(from, page.find(end, from) - from);
  CHECK(lint_manifest(example, "mine.json") == std::vector<std::string>{});
  CHECK(schema().why_not(base::parse_json(example)) == "");
  CHECK(parse_manifest(example, "mine.json")->rules.rules.size() == 3);
}

TEST_CASE("each member of the schema has a description of one line") {
  Json whole = manifest_schema();
  size_t members = 0;
  each_object(whole, "", [&](const std::string& place, Json& object) {
    if (!object.contains("properties") || !place.starts_with("/$defs")) return;
    for (const auto& [key, member] : object["properties"].items()) {
      if (place.ends_with("/causes")) continue;
      INFO(place << " " << key);
      const std::string about = base::text_at(member, "description");
      CHECK(!about.empty());
      CHECK(about.size() <= 95);
      CHECK(about.find('\n') == std::string::npos);
      ++members;
    }
  });
  CHECK(members > 250);
}

}  // namespace orch::adapters
