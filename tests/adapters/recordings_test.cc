// The manifests against recordings of the real agents, whose markers say what was true.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "adapters/registry.h"
#include "timeline.h"

namespace orch::adapters {
namespace {

// Every .cast below tests/recordings, or below $ORCH_SCORED_RECORDINGS when that is set.
std::vector<std::filesystem::path> recordings() {
  const char* folder = std::getenv("ORCH_SCORED_RECORDINGS");
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           folder != nullptr ? folder : ORCH_RECORDINGS)) {
    if (entry.path().extension() == ".cast") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

struct Scored {
  std::string agent;
  std::string name;  // "claude/plan-80x24.cast"
  Score score;
};

// Each agent's recordings are in a folder of its name.
const std::vector<Scored>& scored_recordings() {
  static const std::vector<Scored> kScored = [] {
    const base::Result<Registry> registry = Registry::load({});
    std::vector<Scored> all;
    for (const std::filesystem::path& path : recordings()) {
      const std::string agent = path.parent_path().filename();
      const Manifest* manifest = registry->find(agent);
      if (manifest == nullptr) continue;
      const base::Result<store::Cast> cast = store::read_cast(path);
      const std::vector<Span> truth = truth_of(*cast);
      all.push_back({agent, agent + "/" + path.filename().string(),
                     score(truth, statuses_of(*cast, *manifest))});
    }
    return all;
  }();
  return kScored;
}

void add(Score& sum, const Scored& recording) {
  sum.judged += recording.score.judged;
  sum.right += recording.score.right;
  if (!recording.score.wrong.empty()) {
    sum.wrong += recording.name + "\n" + recording.score.wrong;
  }
}

double share(const Score& score) {
  return static_cast<double>(score.right) / static_cast<double>(score.judged);
}

}  // namespace

TEST_CASE("Over all recordings the status is right for at least 99 % of the time") {
  Score sum;
  for (const Scored& recording : scored_recordings()) add(sum, recording);
  REQUIRE(sum.judged > 0);
  INFO(100 * share(sum) << " % of " << sum.judged << " ms are right\n" << sum.wrong);
  CHECK(share(sum) >= 0.99);
}

TEST_CASE("For no agent that was recorded it is right for less than 98 %") {
  std::map<std::string, Score> sums;
  for (const Scored& recording : scored_recordings()) add(sums[recording.agent], recording);
  for (const char* agent : {"claude", "codex", "gemini"}) REQUIRE(sums.contains(agent));
  for (const auto& [agent, sum] : sums) {
    INFO(agent << ": " << 100 * share(sum) << " % of " << sum.judged << " ms\n" << sum.wrong);
    CHECK(share(sum) >= 0.98);
  }
}

TEST_CASE("No agent is said to be idle for a second while it works or waits") {
  for (const Scored& recording : scored_recordings()) {
    INFO(recording.name << "\n" << recording.score.wrong);
    CHECK(recording.score.false_idle < 1000);
  }
}

}  // namespace orch::adapters
