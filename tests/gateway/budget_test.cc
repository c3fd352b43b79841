#include "gateway/budget.h"

#include <catch2/catch.hpp>

namespace orch::gateway {
namespace {

using Is = adapters::GatewaySpec::Kind::Is;

Budget budget(Limits limits) {
  return {
      limits,
      exchange::PriceTable::parse(R"({"prices":[{"model":"m","in":1,"out":10}]})", "p").value()};
}

TEST_CASE("a limit counts finished requests, and what is known of those under way") {
  Budget spent = budget({.tokens = 100});
  spent.add(Is::kTurn, {.in = 60, .cached = 50, .out = 10}, "m");
  CHECK(spent.used_up({}).empty());
  event::Usage under_way;
  under_way.in = 30;
  CHECK(spent.used_up(under_way) == "--max-tokens 100: 100 used");
}

TEST_CASE("input from the cache counts for uncached: only as nothing") {
  Budget spent = budget({.uncached = 100});
  spent.add(Is::kTurn, {.in = 1000, .cached = 920, .written = 30, .out = 10}, "m");
  CHECK(spent.used_up({}).empty());
  spent.add(Is::kTurn, {.in = 10}, "m");
  CHECK(spent.used_up({}) == "--max-tokens uncached:100: 100 used");
}

TEST_CASE("money is counted by the model that answered") {
  Budget spent = budget({.dollars = 1});
  spent.add(Is::kSide, {.out = 100'000, .model = "m-2"}, "other");
  CHECK(spent.used_up({}) == "--max-cost 1.0000: 1.0000 used");
  CHECK(spent.summary() == "side 1 request of m-2, 0 tokens in (0 cached), 100000 out, $1.0000");
}

TEST_CASE("without a limit of money a model without a price costs nothing that is told") {
  CHECK_FALSE(budget({}).spent({.in = 1}, "unknown").usage.cost_usd);
  CHECK(budget({.dollars = 1}).spent({.in = 1}, "unknown").usage.cost_usd);
}

}  // namespace
}  // namespace orch::gateway
