#include "accuracy/altered_replay.h"

#include <catch2/catch.hpp>

#include "adapters/registry.h"
#include "session/replay.h"

namespace orch::accuracy {
namespace {

// A manifest whose agent works while its last row says "Busy" and the title begins with a star.
constexpr auto kLastRowToy = R"({"manifest": 1, "name": "toy", "rules": [
  {"id": "last", "status": "working", "priority": 20,
   "when": [{"in": "bottom:1", "match": "^Busy"}, {"in": "title", "match": "^★"}]},
  {"id": "any", "status": "idle", "when": [{"in": "screen", "match": "\\S"}]}]})";

constexpr auto kLastRowCast = R"({"version": 2, "width": 80, "height": 24, "duration": 9}
[0, "o", "Ready"]
[0.9, "i", "x"]
[1, "o", "\u001b]2;★\u0007\u001b[2J\u001b[HBusy"]
[5, "o", "\u001b[2J\u001b[HReady"]
)";

event::AgentStatus status_at(const Timeline& timeline, Ms ms) {
  event::AgentStatus status = event::AgentStatus::kExited;
  for (const Change& change : timeline) {
    if (change.at <= ms) status = change.status;
  }
  return status;
}

}  // namespace

TEST_CASE("Without an alteration the statuses are those of a replay") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  Selection selection;
  selection.folder = ORCH_RECORDINGS;
  selection.agents = {"claude", "codex", "gemini", "opencode"};
  const std::vector<RecordingFile> files = find_recordings(selection).value();
  for (const RecordingFile& file : files) {
    INFO(file.name);
    const adapters::Manifest* manifest = registry->find(file.agent);
    const detect::RuleSet rules = detect::RuleSet::compile(manifest->rules).value();
    const store::Cast cast = store::read_cast(file.path).value();
    const Timeline plain = timeline_of(session::Replay(cast, *manifest, rules).run());
    const Timeline altered = altered_timeline(cast, rules, Alteration::kNone);
    REQUIRE(altered.size() == plain.size());
    for (size_t i = 0; i < plain.size(); ++i) CHECK(altered[i].status == plain[i].status);
  }
}

TEST_CASE("A row under all is between what was drawn and a rule that counts rows from the end") {
  const adapters::Manifest manifest = adapters::parse_manifest(kLastRowToy, "toy.json").value();
  const detect::RuleSet rules = detect::RuleSet::compile(manifest.rules).value();
  const store::Cast cast = store::parse_cast(kLastRowCast).value();
  constexpr Ms kAtWork = 3000, kAfter = 7000;
  const auto told = [&](Alteration alteration, Ms ms) {
    return status_at(altered_timeline(cast, rules, alteration), ms);
  };
  CHECK(told(Alteration::kNone, kAtWork) == event::AgentStatus::kWorking);
  CHECK(told(Alteration::kTaller, kAtWork) == event::AgentStatus::kWorking);
  CHECK(told(Alteration::kStatusRow, kAtWork) == event::AgentStatus::kIdle);
  CHECK(told(Alteration::kNone, kAfter) == event::AgentStatus::kIdle);
}

}  // namespace orch::accuracy
