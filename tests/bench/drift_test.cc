#include "accuracy/drift.h"

#include <catch2/catch.hpp>

#include "adapters/embedded.h"
#include "base/json.h"

namespace orch::accuracy {
namespace {

constexpr auto kDriftToy = R"json({"manifest": 1, "name": "toy",
  "transcript": {"agent": "^[●⏺] ", "notice": "^■ (Stopped|Broken)"},
  "rules": [
    {"id": "work", "status": "working", "priority": 20,
     "when": [{"in": "title", "match": "^★"}, {"in": "screen", "match": "(?i)esc to stop( now)?"}]},
    {"id": "any", "status": "idle", "when": [{"in": "screen", "match": "Ready|Set"}]}],
  "dialogs": {"kinds": [{"id": "trust", "kind": "trust", "title": "^Trust this folder"}]}})json";

store::Cast cast_of(const std::string& output) {
  const base::Json event = {0.1, "o", output};
  return store::parse_cast("{\"version\": 2, \"width\": 80, \"height\": 24, \"duration\": 5}\n" +
                           event.dump() + "\n")
      .value();
}

Drift drift_of(const std::string& manifest, const store::Cast& cast) {
  const adapters::Manifest read = adapters::parse_manifest(manifest, "toy.json").value();
  DriftSearch search = DriftSearch::of(manifest, read).value();
  search.see({"toy/a.cast", "toy", "toy/a"}, cast);
  return search.take();
}

bool drawn(const Drift& drift, const std::string& literal) {
  INFO(literal);
  REQUIRE(drift.literals.contains(literal));
  return drift.literals.at(literal).has_value();
}

// The text with `from` replaced where it stands first.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string manifest_text(std::string_view agent) {
  for (const adapters::EmbeddedManifest& embedded : adapters::embedded_manifests()) {
    if (embedded.name == agent) return std::string(embedded.text);
  }
  return "";
}

// The drift of the recordings of an agent in tests/recordings.
Drift recorded_drift(const std::string& manifest, const std::string& agent) {
  const adapters::Manifest read =
      adapters::parse_manifest(manifest, agent, base::JsonAuthor::kProgram).value();
  DriftSearch search = DriftSearch::of(manifest, read).value();
  Selection selection;
  selection.folder = ORCH_RECORDINGS;
  selection.agents = {agent};
  selection.exclude = "trick|quoted";
  const std::vector<RecordingFile> files = find_recordings(selection).value();
  for (const RecordingFile& file : files) {
    search.see(file, store::read_cast(file.path).value());
  }
  return search.take();
}

Known known_from(const Drift& drift) {
  Known known;
  for (const auto& [literal, moment] : drift.literals) {
    if (!moment) known.undrawn.insert(literal);
  }
  return known;
}

// As in a manifest, where a backslash and a quotation mark are escaped.
std::string in_json(const std::string& text) {
  const std::string quoted = base::Json(text).dump();
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

TEST_CASE("A literal is drawn where its expression matches because of it") {
  const Drift drift =
      drift_of(kDriftToy, cast_of("\x1b]2;★ a\x07● Hello\r\nSet\r\nESC TO STOP\r\n"));
  CHECK(drawn(drift, "rules.work.when.match: ★"));
  CHECK(drawn(drift, "rules.work.when.match: esc to stop"));
  CHECK_FALSE(drawn(drift, "rules.work.when.match: now"));
  CHECK(drawn(drift, "rules.any.when.match: Set"));
  CHECK_FALSE(drawn(drift, "rules.any.when.match: Ready"));
  CHECK(drawn(drift, "transcript.agent: [●⏺]"));
  CHECK_FALSE(drawn(drift, "transcript.notice: Stopped"));
  CHECK(drift.rules.at("toy/any") == 0);  // the rule of higher priority decided
  CHECK(drift.rules.at("toy/work") > 0);
}

TEST_CASE("An optional literal is drawn where it stands in what its expression matches") {
  CHECK(drawn(drift_of(kDriftToy, cast_of("esc to stop now")), "rules.work.when.match: now"));
  CHECK_FALSE(drawn(drift_of(kDriftToy, cast_of("now\r\n")), "rules.work.when.match: now"));
}

TEST_CASE("What is not drawn is a fault unless it is known, and the literal is named") {
  const Drift before = drift_of(kDriftToy, cast_of("Set\r\n■ Stopped"));
  const Drift after = drift_of(kDriftToy, cast_of("Set\r\n■ Halted"));
  const auto faults = faults_of(after, known_from(before), &before);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].find("transcript.notice: Stopped; drawn in toy/a at 0.") != std::string::npos);
  CHECK(faults[1].find("transcript.notice: ■") != std::string::npos);
  CHECK(faults_of(after, known_from(after), nullptr).empty());
}

TEST_CASE("A dialog of no kind and a screen that no rule explains are faults once they stand") {
  const std::string list = "Which of 2 ways?\r\n\r\n❯ 1. Left\r\n  2. Right\r\n\r\nReady";
  const Drift drift = drift_of(kDriftToy, cast_of(list));
  REQUIRE(drift.dialogs.size() == 1);
  CHECK(drift.dialogs[0].options == std::vector<std::string>{"Left", "Right"});
  CHECK(drift.dialogs[0].first.recording == "toy/a");
  CHECK(drift.screens.empty());
  Known known = known_from(drift);
  CHECK(faults_of(drift, known, nullptr).size() == 1);
  known.dialogs.insert("Which of 0 ways?");
  CHECK(faults_of(drift, known, nullptr).empty());
  const Drift unknown = drift_of(kDriftToy, cast_of("Hello\r\nthere 12"));
  REQUIRE(unknown.screens.size() == 1);
  CHECK(unknown.screens[0].options.back() == "there 12");
  CHECK(unknown.rows.contains("there 0"));
  CHECK(faults_of(unknown, known_from(unknown), nullptr).size() == 1);
}

TEST_CASE("A slow start is no drift, if the agent comes to its prompt in the end") {
  const auto screens = [](const std::string& last) {
    const std::string text =
        "{\"version\": 2, \"width\": 80, \"height\": 24, \"duration\": 12}\n"
        "[0.1, \"o\", \"Hello\\r\\nthere 12\"]\n[6, \"o\", \"\\r\\n" +
        last + "\"]\n";
    return drift_of(kDriftToy, store::parse_cast(text).value()).screens.size();
  };
  CHECK(screens("Ready") == 0);
  CHECK(screens("Loading") == 2);
}

TEST_CASE("A row that an expression matches is no new row") {
  const Drift drift = drift_of(kDriftToy, cast_of("● Hello 12\r\nWhat 12:30\r\nReady"));
  CHECK(drift.rows.size() == 1);
  CHECK(drift.rows.contains("What 0"));
}

TEST_CASE("With a literal of a manifest changed its recordings show it, by name") {
  for (const std::string agent : {"claude", "codex"}) {
    const std::string manifest = manifest_text(agent);
    const Drift whole = recorded_drift(manifest, agent);
    const Known known = known_from(whole);
    REQUIRE(faults_of(whole, known, nullptr).size() == whole.dialogs.size() + whole.screens.size());
    int changed = 0;
    std::string last;
    for (const auto& [literal, moment] : whole.literals) {
      // One of each part of the manifest that can be changed in one place only.
      const std::string part = literal.substr(0, literal.find('.'));
      const std::string text = literal.substr(literal.find(": ") + 2);
      if (!moment || part == last || text.size() < 12 || text.front() == '[') continue;
      const size_t place = manifest.find(in_json(text));
      if (place == std::string::npos || place != manifest.rfind(in_json(text))) continue;
      last = part;
      ++changed;
      std::string other = text;
      other[text.find_last_of("abcdefghijklmnopqrstuvwxyz")] = 'Q';
      INFO(agent << " " << literal);
      const Drift drift = recorded_drift(with(manifest, in_json(text), in_json(other)), agent);
      const auto faults = faults_of(drift, known, &whole);
      CHECK(std::any_of(faults.begin(), faults.end(), [&other](const std::string& fault) {
        return fault.find("not drawn: ") == 0 && fault.find(other) != std::string::npos;
      }));
    }
    CHECK(changed >= 2);
  }
}

TEST_CASE("What is known is JSON, and what is wrong in it is named") {
  const auto known =
      parse_known(R"({"claude": {"version": "2", "undrawn": ["a: b"], "rows": []}})");
  REQUIRE(known);
  CHECK(known->at("claude").version == "2");
  CHECK(known->at("claude").undrawn.contains("a: b"));
  REQUIRE_FALSE(parse_known("[]"));
  const auto bad = parse_known(R"({"codex": 1})");
  REQUIRE_FALSE(bad);
  CHECK(bad.error().text.find("codex") != std::string::npos);
}

TEST_CASE("All expressions over what is drawn are found, and nothing else") {
  const auto found = placed_expressions(kDriftToy);
  REQUIRE(found);
  std::vector<std::string> places;
  for (const PlacedExpression& one : *found) places.push_back(one.place);
  CHECK(places == std::vector<std::string>{"rules.work.when.match", "rules.work.when.match",
                                           "rules.any.when.match", "dialogs.kinds.trust.title",
                                           "transcript.agent", "transcript.notice"});
  CHECK_FALSE(placed_expressions("3"));
}

}  // namespace orch::accuracy
