#include "report/timeline.h"

#include <catch2/catch.hpp>

namespace orch::report {
namespace {

using event::AgentStatus;

event::Record status(int64_t ms, AgentStatus status) {
  event::StatusChange change;
  change.status = status;
  return {ms, change};
}

TEST_CASE("spans follow each other up to the end") {
  const std::vector<event::Record> events{status(20, AgentStatus::kStarting),
                                          status(100, AgentStatus::kWorking),
                                          status(400, AgentStatus::kExited)};
  const std::vector<Span> spans = spans_of(events, 450);
  REQUIRE(spans.size() == 3);
  CHECK(spans[0] == Span{0, 100, AgentStatus::kStarting, event::Cause::kNone});
  CHECK(spans[1] == Span{100, 400, AgentStatus::kWorking, event::Cause::kNone});
  CHECK(spans[2].to_ms == 450);
  CHECK(spans_json(spans) == R"([[0,"starting"],[100,"working"],[400,"exited"]])");
  CHECK(spans_of({}, 10).empty());
}

TEST_CASE("of many spans the longest stay") {
  std::vector<event::Record> events;
  for (int i = 0; i < 20'000; ++i) {
    events.push_back(status(i * 10, i % 2 == 0 ? AgentStatus::kWorking : AgentStatus::kIdle));
  }
  events.push_back(status(200'000, AgentStatus::kWaiting));
  events.push_back(status(900'000, AgentStatus::kWorking));
  const std::vector<Span> spans = spans_of(events, 1'000'000);
  CHECK(spans.size() <= kMaxSpans);
  int64_t at = 0;
  for (const Span& span : spans) {
    CHECK(span.from_ms == at);
    at = span.to_ms;
  }
  CHECK(at == 1'000'000);
}

TEST_CASE("a lane for each status that occurs") {
  const std::vector<event::Record> events{
      status(0, AgentStatus::kWorking), status(10, AgentStatus::kWaiting), {12, event::Dialog{}}};
  const Lanes lanes = lanes_of(spans_of(events, 20), events, 20);
  CHECK(lanes.names == "<li>waiting</li>\n<li>working</li>\n<li>dialogs, messages</li>\n");
  CHECK(lanes.svg.find("<rect class=\"waiting\" x=\"50.000%\"") != std::string::npos);
  CHECK(lanes.svg.find("class=\"dialog\" x=\"60.000%\"") != std::string::npos);
  CHECK(lanes_of({}, {}, 0).names.empty());
}

}  // namespace
}  // namespace orch::report
