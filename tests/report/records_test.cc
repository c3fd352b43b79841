#include "report/records.h"

#include <catch2/catch.hpp>

namespace orch::report {
namespace {

TEST_CASE("events and what only a newer orch knows are told apart, damage is neither") {
  const Records records = read_records(
      R"({"ms":1,"event":"turn","n":1,"phase":"began"}
no record
{"ms":2,"event":"output"}
{"ms":3,"event":"hop","session":"orch-1","tokens":{"in":12,"cached":3},"cost":0.5,"list":[1]}
[[[[
{"ms":-4,"event":"jump"}
{"ms":5,"event":"jump","name":"tests","passed":true}
{"ms":6,"eve)");
  REQUIRE(records.events.size() == 1);
  CHECK(records.events[0].ms == 1);
  CHECK(records.others ==
        std::vector<OtherRecord>{
            {3, "hop", {{"tokens.in", "12"}, {"tokens.cached", "3"}, {"cost", "0.5"}}},
            {5, "jump", {{"name", "tests"}, {"passed", "true"}}}});
}

}  // namespace
}  // namespace orch::report
