#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "words/said.h"

namespace orch::words {
namespace {

store::Cast cast_with(const std::vector<std::string>& markers) {
  store::Cast cast;
  for (const std::string& marker : markers) {
    cast.events.push_back({0, store::CastKind::kMarker, marker});
  }
  return cast;
}

// A folder with scenarios, each of which says one text. The destructor removes it.
class ScenarioFolder {
 public:
  ScenarioFolder() {
    std::string path = std::filesystem::temp_directory_path() / "words_said_test.XXXXXX";
    REQUIRE(mkdtemp(path.data()) != nullptr);
    path_ = path;
  }
  ~ScenarioFolder() { std::filesystem::remove_all(path_); }
  ScenarioFolder(const ScenarioFolder&) = delete;
  ScenarioFolder& operator=(const ScenarioFolder&) = delete;

  void add(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / (name + ".json"))
        << R"({"turns": [{"steps": [{"text": ")" << text << R"("}]}]})";
  }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What a recording's scenario says; "-" if that is not known.
std::string said_of(const Scenarios& scenarios, const std::string& name) {
  const auto said = scenarios.said_in({"", name.substr(0, name.find('/')), name});
  REQUIRE(said);
  return said->value_or("-");
}

}  // namespace

TEST_CASE("Markers say what the model said, a line feed between two") {
  const auto said =
      said_in(cast_with({"state=idle", R"(said="One \"two\"\n")", R"(said="three")", "note=end"}));
  REQUIRE(said);
  CHECK(*said == "One \"two\"\n\nthree");
}

TEST_CASE("Without markers it is not known, with an empty one nothing was said") {
  store::Cast cast = cast_with({"state=idle", "note=said=\"x\""});
  cast.events.push_back({0, store::CastKind::kOutput, "said=\"x\""});
  const auto unknown = said_in(cast);
  REQUIRE(unknown);
  CHECK_FALSE(*unknown);
  const auto nothing = said_in(cast_with({R"(said="")"}));
  REQUIRE(nothing);
  CHECK(*nothing == "");
}

TEST_CASE("A marker that holds no JSON string is a usage error") {
  for (const char* marker : {"said=", "said=one", "said=1", R"(said="a" "b")", R"(said=["a"])"}) {
    INFO(marker);
    const auto said = said_in(cast_with({marker}));
    REQUIRE_FALSE(said);
    CHECK(said.error().code == base::ErrorCode::kUsage);
  }
}

TEST_CASE("A scenario says the texts of its steps") {
  const auto text = text_of_scenario(R"({"turns": [
      {"http": 529},
      {"steps": [{"sleep": 1}, {"text": "One."}, {"thinking": "not said"}, {"tool": "Bash"}]},
      {"steps": [{"text": "Two."}]}]})");
  REQUIRE(text);
  CHECK(*text == "One.\nTwo.");
  const auto none = text_of_scenario(R"({"turns": [1, [], {"steps": 1}, {"steps": ["text"]}]})");
  REQUIRE(none);
  CHECK(none->empty());
  for (const char* bad : {"", "[]", "{}", R"({"turns": [{"steps": [{"text": 1}]}]})"}) {
    INFO(bad);
    CHECK_FALSE(text_of_scenario(bad));
  }
}

TEST_CASE("A recording's scenario is that of its name without its size") {
  const ScenarioFolder folder, other;
  folder.add("codex/plain", "Codex.");
  other.add("codex/plain", "Not looked at.");
  other.add("claude/plan-mode", "Claude.");
  const auto scenarios = Scenarios::in({folder.path(), other.path()}, std::string(kCutShort));
  REQUIRE(scenarios);
  CHECK(said_of(*scenarios, "codex/plain-80x24") == "Codex.");
  CHECK(said_of(*scenarios, "codex/plain-80x24-2") == "Codex.");
  CHECK(said_of(*scenarios, "claude/plan-mode-120x40") == "Claude.");
  CHECK(said_of(*scenarios, "claude/plain-80x24") == "-");
  CHECK(said_of(*scenarios, "codex/plain") == "-");
}

TEST_CASE("Scenarios that may have been cut short say nothing") {
  const ScenarioFolder folder;
  folder.add("codex/esc-interrupt", "Stopped.");
  folder.add("codex/plain", "Whole.");
  const auto scenarios = Scenarios::in({folder.path()}, std::string(kCutShort));
  REQUIRE(scenarios);
  CHECK(said_of(*scenarios, "codex/esc-interrupt-80x24") == "-");
  const auto others = Scenarios::in({folder.path()}, "^codex/plain$");
  REQUIRE(others);
  CHECK(said_of(*others, "codex/esc-interrupt-80x24") == "Stopped.");
  CHECK(said_of(*others, "codex/plain-80x24") == "-");
  CHECK_FALSE(Scenarios::in({}, "("));
}

TEST_CASE("A scenario that cannot be read names its file") {
  const ScenarioFolder folder;
  folder.add("codex/plain", "\"");
  const auto scenarios = Scenarios::in({folder.path()}, std::string(kCutShort));
  REQUIRE(scenarios);
  const auto said = scenarios->said_in({"", "codex", "codex/plain-80x24"});
  REQUIRE_FALSE(said);
  CHECK(said.error().text.find(folder.path() + "/codex/plain.json: ") == 0);
}

TEST_CASE("Of our recordings it is known what the model said, but for a few") {
  const auto files = accuracy::find_recordings({ORCH_RECORDINGS, "", "", {}});
  REQUIRE(files);
  std::set<std::string> unknown;
  for (const accuracy::RecordingFile& file : *files) {
    const auto cast = store::read_cast(file.path);
    REQUIRE(cast);
    const auto said = said_in(*cast);
    REQUIRE(said);
    if (!*said) unknown.insert(file.name);
  }
  CHECK(unknown == std::set<std::string>{"claude/limit-dialog-80x24", "claude/limit-row-120x40",
                                         "claude/quoted-errors-100x50",
                                         "claude/reported-esc-120x40", "codex/queued-start-80x24",
                                         "codex/reported-esc-120x40", "codex/sentence-branch-80x24",
                                         "gemini/huge-output-80x24", "gemini/limit-dialog-80x24"});
}

}  // namespace orch::words
