#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "words/report.h"

namespace orch::words {
namespace {

using Lines = std::vector<std::string>;

ScoredRecording recording(const std::string& agent, const std::string& name, const Lines& told) {
  return {agent, agent + "/" + name, score("one two three four", told)};
}

// The columns of the line that begins with `what`.
Lines columns(const std::string& table, const std::string& what) {
  const size_t begin = ("\n" + table).find("\n" + what + " ");
  REQUIRE(begin != std::string::npos);
  std::istringstream line(table.substr(begin, table.find('\n', begin) - begin));
  return {std::istream_iterator<std::string>(line), {}};
}

const Lines kExact = {"one two three four"};

// A recording with a hundred lines, `count` of them chrome.
ScoredRecording with_chrome(size_t count) {
  Lines lines(100 - count, "one two three four");
  for (size_t i = 0; i < count; ++i) lines.push_back("│ " + std::to_string(i));
  ScoredRecording scored = recording("codex", "a", lines);
  scored.score.repeats = 0;
  return scored;
}

}  // namespace

TEST_CASE("The table of words has a line per agent and the total") {
  const std::vector<ScoredRecording> recordings = {
      recording("codex", "a", kExact), recording("codex", "b", {"one two", "one two three"}),
      recording("claude", "a", {"one two", "│ tips", "repeated line", "repeated line"})};
  const std::string text = table(recordings);
  CHECK(text.find("\nclaude ") < text.find("\ncodex "));
  CHECK(text.find("\ncodex ") < text.find("\nTOTAL "));
  CHECK(columns(text, "what") == Lines{"what", "rec", "lines", "words", "recall", "repeats",
                                       "partial", "chrome", "inexact"});
  CHECK(columns(text, "codex") == Lines{"codex", "2", "3", "8", "87.50%", "0", "1", "0", "1"});
  CHECK(columns(text, "claude") == Lines{"claude", "1", "4", "4", "50.00%", "1", "0", "1", "1"});
  CHECK(columns(text, "TOTAL") == Lines{"TOTAL", "3", "7", "12", "75.00%", "1", "1", "1", "2"});
}

TEST_CASE("Nothing said is no recall") {
  const std::vector<ScoredRecording> silent = {{"codex", "codex/a", score("", {})}};
  CHECK(columns(table(silent), "codex")[4] == "-");
  CHECK(nlohmann::json::parse(to_json(silent, 0))["total"]["recall"].is_null());
}

TEST_CASE("As JSON there are the total, the agents and the recordings") {
  const std::vector<ScoredRecording> recordings = {recording("codex", "a", kExact),
                                                   recording("codex", "b", {"one two", "│ tips"})};
  const auto json = nlohmann::json::parse(to_json(recordings, 3));
  CHECK(json["without_truth"] == 3);
  CHECK(json["total"] == json["agents"]["codex"]);
  CHECK(json["recordings"].size() == 2);
  CHECK(json["total"] == nlohmann::json{{"recordings", 2},
                                        {"lines", 3},
                                        {"said", 8},
                                        {"told", 6},
                                        {"recall", 0.75},
                                        {"repeats", 0},
                                        {"partial", 0},
                                        {"chrome", 1},
                                        {"inexact", 1}});
  CHECK(json["recordings"]["codex/b"]["told"] == 2);
}

TEST_CASE("The worst recordings come first, with what differs, and no more than asked for") {
  const std::vector<ScoredRecording> recordings = {
      recording("claude", "a", {"one two three"}), recording("codex", "a", {"two", "│ tips"}),
      recording("codex", "b", {"one two four", std::string(200, 'x'), "│ tips"}),
      recording("codex", "c", kExact)};
  CHECK(worst(recordings, 1) ==
        "codex/a: 1/4 words, 0 repeats, 0 partial, 1 chrome\n"
        "    missing  \"one\"\n    missing  \"three four\"\n    chrome   \"│ tips\"\n");
  const std::string all = worst(recordings, 9);
  CHECK(all.find("codex/a") < all.find("codex/b"));
  CHECK(all.find("codex/b") < all.find("claude/a"));
  CHECK(all.find("codex/c") == std::string::npos);
  const std::vector<ScoredRecording> wide = {
      recording("codex", "a", {"│ " + std::string(200, 'x'), "one two three four"})};
  CHECK(worst(wide, 1).find("…\n") != std::string::npos);
}

TEST_CASE("An agent falls short by recall, its own figure or that of all") {
  const std::vector<ScoredRecording> recordings = {recording("codex", "a", {"one two three"}),
                                                   recording("qwen", "a", {"one two three"})};
  Requirement requirement;
  requirement.recall = {75, {}};
  CHECK(shortfalls(recordings, requirement).empty());
  requirement.recall = {75.5, {{"qwen", 75}}};
  CHECK(shortfalls(recordings, requirement) == Lines{"codex: recall 75.00, 75.5 required"});
}

TEST_CASE("An agent falls short by what it tells too often") {
  ScoredRecording scored = recording("codex", "a", kExact);
  Requirement requirement;
  CHECK(shortfalls(std::vector{scored}, requirement).empty());
  scored.score.repeats = 2;
  scored.score.partial = 3;
  CHECK(shortfalls(std::vector{scored}, requirement) ==
        Lines{"codex: 2 repeats", "codex: 3 partial"});
  requirement.repeats = 1;
  requirement.partial = 2;
  CHECK(shortfalls(std::vector{scored}, requirement).size() == 2);
  requirement.repeats = 2;
  requirement.partial = 3;
  CHECK(shortfalls(std::vector{scored}, requirement).empty());
}

TEST_CASE("One line of chrome in a hundred is no shortfall") {
  CHECK(shortfalls(std::vector{with_chrome(1)}, {}).empty());
  CHECK(shortfalls(std::vector{with_chrome(2)}, {}) == Lines{"codex: 2 chrome in 100 lines"});
  Requirement requirement;
  requirement.chrome = 2;
  CHECK(shortfalls(std::vector{with_chrome(2)}, requirement).empty());
}

TEST_CASE("Recordings in which nothing was said meet no required recall") {
  const std::vector<ScoredRecording> silent = {{"codex", "codex/a", score("", {})}};
  CHECK_FALSE(shortfalls(silent, {{1, {}}}).empty());
}

}  // namespace orch::words
