#include "tape/comparison.h"

#include <catch2/catch.hpp>

namespace orch::tape {
namespace {

Entry one(int64_t n, const std::string& kind, const std::string& request, int status = 200) {
  return {.n = n,
          .kind = kind,
          .protocol = "anthropic",
          .method = "POST",
          .path = "/m",
          .request = request,
          .answer = {.status = status}};
}

TEST_CASE("equal requests are compared in any order, others with the next of their kind") {
  const Tape first{{}, {one(1, "turn", "1"), one(2, "turn", "2"), one(3, "title", "7")}};
  CHECK(compare(first, first, 5).size() == 3);
  for (const Pair& pair : compare(first, first, 5)) CHECK(pair.is_same());
  const Tape second{{}, {one(1, "turn", "2"), one(2, "turn", "9", 429), one(3, "side", "7")}};
  const std::vector<Pair> pairs = compare(first, second, 5);
  REQUIRE(pairs.size() == 4);
  CHECK(pairs[0].second == 2);
  CHECK(pairs[0].request == std::vector<Difference>{{"", "1", "9"}});
  CHECK(pairs[0].answer == std::vector<Difference>{{"/status", "200", "429"}});
  CHECK(pairs[1].is_same());
  CHECK(pairs[1].second == 1);
  CHECK_FALSE(pairs[2].second);
  CHECK_FALSE(pairs[3].first);
  CHECK(pairs[3].second == 3);
}

}  // namespace
}  // namespace orch::tape
