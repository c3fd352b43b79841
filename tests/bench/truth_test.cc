#include "accuracy/truth.h"

#include <catch2/catch.hpp>
#include <limits>

namespace orch::accuracy {
namespace {

using Segments = std::vector<Segment>;
using enum event::AgentStatus;

store::Cast cast_with(const std::vector<std::pair<int64_t, std::string>>& markers, int64_t end_ms) {
  store::Cast cast;
  for (const auto& [ms, text] : markers) {
    cast.events.push_back({ms * 1000, store::CastKind::kMarker, text});
  }
  cast.end_us = end_ms * 1000;
  return cast;
}

Truth ignoring(Segments segments, const std::vector<Span>& spans) {
  Truth truth{std::move(segments), 10'000};
  ignore(truth, spans);
  return truth;
}

}  // namespace

TEST_CASE("A marker holds until the next one, the last until the recording's end") {
  const auto truth = truth_of(
      cast_with({{0, "state=starting"}, {1000, "state=unsure"}, {1500, "state=idle"}}, 4000));
  REQUIRE(truth);
  CHECK(truth->end == 4000);
  CHECK(truth->segments == Segments{{0, 1000, kStarting}, {1000, 1500, {}}, {1500, 4000, kIdle}});
}

TEST_CASE("Causes and repeated markers do not cut a status in two") {
  const auto truth = truth_of(cast_with({{0, "state=working"},
                                         {1000, "state=working/tool"},
                                         {2000, "state=working/retry"},
                                         {3000, "state=waiting/plan"}},
                                        4000));
  REQUIRE(truth);
  CHECK(truth->segments == Segments{{0, 3000, kWorking}, {3000, 4000, kWaiting}});
}

TEST_CASE("Other markers and other events are not the truth") {
  store::Cast cast = cast_with({{0, "state=idle"}, {500, "note=end"}, {600, ""}}, 1000);
  cast.events.push_back({700'000, store::CastKind::kOutput, "state=working"});
  cast.events.push_back({800'000, store::CastKind::kInput, "state=working"});
  const auto truth = truth_of(cast);
  REQUIRE(truth);
  CHECK(truth->segments == Segments{{0, 1000, kIdle}});
}

TEST_CASE("A fact that another one follows at once is kept as an empty segment") {
  const auto truth = truth_of(
      cast_with({{0, "state=idle"}, {1000, "state=working"}, {1000, "state=unsure"}}, 2000));
  REQUIRE(truth);
  CHECK(truth->segments == Segments{{0, 1000, kIdle}, {1000, 1000, kWorking}, {1000, 2000, {}}});
}

TEST_CASE("A marker that names no status is an error, not a guess") {
  const auto truth = truth_of(cast_with({{0, "state=idling"}}, 1000));
  REQUIRE_FALSE(truth);
  CHECK(truth.error().text == "marker \"state=idling\" names no status");
  CHECK_FALSE(truth_of(cast_with({{0, "state="}}, 1000)));
}

TEST_CASE("Ignored time inside a segment becomes unsure") {
  CHECK(ignoring({{0, 10'000, kWorking}}, {{2000, 3000}}).segments ==
        Segments{{0, 2000, kWorking}, {2000, 3000, {}}, {3000, 10'000, kWorking}});
}

TEST_CASE("Ignored time over several segments is one unsure one, joined with those beside it") {
  const Segments segments = {
      {0, 1000, kIdle}, {1000, 2000, {}}, {2000, 3000, kWorking}, {3000, 10'000, kWaiting}};
  CHECK(ignoring(segments, {{1500, 4000}}).segments ==
        Segments{{0, 1000, kIdle}, {1000, 4000, {}}, {4000, 10'000, kWaiting}});
}

TEST_CASE("Ignored time may go on to the end, and several spans add up") {
  const Segments segments = {{0, 5000, kIdle}, {5000, 10'000, kWorking}};
  CHECK(ignoring(segments, {{1000, 2000}, {6000, std::numeric_limits<Ms>::infinity()}}).segments ==
        Segments{{0, 1000, kIdle},
                 {1000, 2000, {}},
                 {2000, 5000, kIdle},
                 {5000, 6000, kWorking},
                 {6000, 10'000, {}}});
}

TEST_CASE("An empty segment is ignored only inside the span") {
  const Segments segments = {{0, 1000, kIdle}, {1000, 1000, kWorking}, {1000, 10'000, {}}};
  CHECK(ignoring(segments, {{200, 1000}}).segments ==
        Segments{{0, 200, kIdle}, {200, 1000, {}}, {1000, 1000, kWorking}, {1000, 10'000, {}}});
  CHECK(ignoring(segments, {{200, 1001}}).segments == Segments{{0, 200, kIdle}, {200, 10'000, {}}});
}

TEST_CASE("The list of ignored time names recordings and seconds") {
  const auto ignored = parse_ignored(
      "{\"recording\":\"qwen/a\",\"from_s\":1.5,\"to_s\":2,\"why\":\"late\"}\n\n"
      "{\"recording\":\"qwen/a\",\"from_s\":3,\"to_s\":null}\n"
      "{\"recording\":\"codex/b\",\"from_s\":0}\n");
  REQUIRE(ignored);
  REQUIRE(ignored->size() == 2);
  const std::vector<Span>& spans = ignored->at("qwen/a");
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].begin == 1500);
  CHECK(spans[0].end == 2000);
  CHECK(spans[1].begin == 3000);
  CHECK(spans[1].end == std::numeric_limits<Ms>::infinity());
  CHECK(ignored->at("codex/b")[0].begin == 0);
}

TEST_CASE("A bad line in the list of ignored time is named by its number") {
  const auto error_of = [](const std::string& line) {
    const auto ignored = parse_ignored("\n" + line + "\n");
    return ignored ? std::string() : ignored.error().text;
  };
  CHECK(error_of("nonsense") == "line 2: not a JSON object");
  CHECK(error_of("[1]") == "line 2: not a JSON object");
  CHECK(error_of("{\"from_s\":1}") == "line 2: \"recording\" must be a text");
  CHECK(error_of("{\"recording\":\"a/b\"}") == "line 2: \"from_s\" must be a number");
  CHECK(error_of("{\"recording\":\"a/b\",\"from_s\":1,\"to_s\":\"2\"}") ==
        "line 2: \"to_s\" must be a number or null");
  CHECK(error_of("{\"recording\":\"a/b\",\"from_s\":2,\"to_s\":2}") ==
        "line 2: \"from_s\" must be before \"to_s\"");
}

}  // namespace orch::accuracy
