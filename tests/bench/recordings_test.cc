// The manifests against recordings of the real agents, whose markers say what was true. The bench
// `accuracy` demands more of the same recordings; this test counts strictly: an error that is
// called idle, and what is said before the first prompt, count as wrong, too.
#include "accuracy/recordings.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>

namespace orch::accuracy {
namespace {

const char* scored_folder() {
  const char* folder = std::getenv("ORCH_SCORED_RECORDINGS");
  return folder != nullptr ? folder : ORCH_RECORDINGS;
}

// The scores by agent, each found by the rules of its own manifest, or by those of one manifest for
// all, over all recordings below tests/recordings, or below $ORCH_SCORED_RECORDINGS
// if that is set.
std::map<std::string, Score> scores_by(const std::string& one_for_all) {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  Selection selection;
  selection.folder = scored_folder();
  const auto files = find_recordings(selection);
  std::map<std::string, Score> sums;
  for (const RecordingFile& file : files.value()) {
    const adapters::Manifest* manifest =
        registry->find(one_for_all.empty() ? file.agent : one_for_all);
    if (manifest == nullptr) continue;
    const base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest->rules);
    const base::Result<Recording> recording = read_recording(file, {});
    add(sums[file.agent], score_of(recording.value(), *manifest, rules.value()));
  }
  return sums;
}

const std::map<std::string, Score>& scores() {
  static const std::map<std::string, Score> kScores = scores_by("");
  return kScores;
}

double right_share(const Score& score) { return rates(score.confusion).acc.value(); }

}  // namespace

TEST_CASE("Over all recordings the status is right for at least 99 % of the time") {
  Score sum;
  for (const auto& [agent, score] : scores()) add(sum, score);
  CHECK(right_share(sum) >= 0.99);
}

TEST_CASE("For no agent that was recorded it is right for less than 98 %") {
  for (const char* agent : {"claude", "codex", "gemini"}) REQUIRE(scores().contains(agent));
  for (const auto& [agent, score] : scores()) {
    INFO(agent);
    CHECK(right_share(score) >= 0.98);
  }
}

TEST_CASE("No agent is said to be idle for a second while it works or waits") {
  for (const auto& [agent, score] : scores()) {
    INFO(agent);
    CHECK(score.false_idle.lasting == 0);
  }
}

TEST_CASE(
    "The rules for any agent are right for at least 92 % of the time, and say no false done") {
  for (const auto& [agent, score] : scores_by("generic")) {
    INFO(agent);
    CHECK(right_share(score) >= 0.92);
    CHECK(score.false_idle.lasting == 0);
  }
}

}  // namespace orch::accuracy
