#include "timeline.h"

#include <catch2/catch.hpp>

namespace orch::adapters {
namespace {

using event::AgentStatus;

store::Cast marked(const std::vector<std::pair<int64_t, std::string>>& markers, int64_t end_ms) {
  store::Cast cast;
  for (const auto& [ms, text] : markers) {
    cast.events.push_back({ms * 1000, store::CastKind::kMarker, text});
  }
  cast.end_us = end_ms * 1000;
  return cast;
}

}  // namespace

TEST_CASE("Truth is what markers say, without what is unsure or after the exit") {
  const std::vector<Span> truth = truth_of(marked({{0, "state=starting"},
                                                   {100, "state=unsure"},
                                                   {200, "state=idle/draft"},
                                                   {250, "note=key"},
                                                   {300, "state=exited/0"}},
                                                  900));
  REQUIRE(truth.size() == 2);
  CHECK(truth[0].begin == 0);
  CHECK(truth[0].end == 100);
  CHECK(truth[1].status == AgentStatus::kIdle);
  CHECK(truth[1].end == 300);
  CHECK(truth_of(marked({{0, "state=idle"}}, 900)).front().end == 900);
}

TEST_CASE("A score counts what is right, and finds the longest false idle") {
  const std::vector<Span> truth{{0, 1000, AgentStatus::kWorking}, {2000, 3000, AgentStatus::kIdle}};
  const std::vector<Span> said{{0, 300, AgentStatus::kIdle},
                               {300, 900, AgentStatus::kWorking},
                               {900, 2100, AgentStatus::kError},
                               {2100, 3000, AgentStatus::kIdle}};
  const Score result = score(truth, said);
  CHECK(result.judged == 2000);
  CHECK(result.right == 1500);
  CHECK(result.false_idle == 300);
  CHECK(result.wrong ==
        "0 ms: idle for 300 ms, is working\n"
        "900 ms: error for 100 ms, is working\n"
        "2000 ms: error for 100 ms, is idle\n");
}

}  // namespace orch::adapters
