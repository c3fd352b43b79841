#include "event/usage.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

namespace orch::event {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST_CASE("what was used is added up; a cost that is not known counts as nothing") {
  Usage sum;
  add(sum, {.in = 10, .out = 2, .cached = 1, .cost_usd = {}, .source = "stream"});
  add(sum, {.in = 5, .out = 1, .cached = 0, .cost_usd = 0.5, .source = "record"});
  CHECK(sum == Usage{.in = 15, .out = 3, .cached = 1, .cost_usd = 0.5, .source = "stream"});
  CHECK(tokens(sum) == 18);
}

TEST_CASE("no sum of tokens is less than its parts") {
  Usage sum{.in = kMost - 1, .out = 3, .cached = kMost, .cost_usd = {}, .source = {}};
  CHECK(tokens(sum) == kMost);
  CHECK(tokens_text(sum).front() != '-');
  add(sum, sum);
  CHECK(sum.in == kMost);
  CHECK(sum.cached == kMost);
  CHECK(sum.out == 6);
}

}  // namespace
}  // namespace orch::event
