#include "exchange/prices.h"

#include <catch2/catch.hpp>

namespace {

using namespace orch::exchange;

TEST_CASE("each class of tokens has its price, and the longest beginning of a name counts") {
  const auto table = PriceTable::parse(
      R"({"prices":[{"model":"m","in":1,"out":2},
                    {"model":"m-pro","in":10,"out":20,"cached":1,"written":12}]})",
      "prices.json");
  REQUIRE(table.ok());
  const Counts counts{.in = 3'000'000, .cached = 1'000'000, .written = 1'000'000, .out = 1'000'000};
  CHECK(table->cost(counts, "m-pro-1").dollars == Approx(10 + 1 + 12 + 20));
  CHECK(table->cost(counts, "m-small").dollars == Approx(3 + 2));
}

TEST_CASE("a model without a price counts as the dearest") {
  const auto table = PriceTable::parse(R"({"prices":[{"model":"a","in":1,"out":1},
                                                     {"model":"b","in":9,"out":1}]})",
                                       "prices.json");
  const PriceTable::Cost cost = table->cost({.in = 1'000'000}, "unknown");
  CHECK_FALSE(cost.is_known);
  CHECK(cost.dollars == Approx(9));
}

TEST_CASE("a wrong table is an error that names the file") {
  CHECK(PriceTable::parse(R"({"prices":[]})", "p.json").error().text ==
        "p.json: prices: must name the price of a model");
  CHECK_FALSE(PriceTable::parse(R"({"prices":[{"model":"a","in":-1,"out":1}]})", "p").ok());
  CHECK_FALSE(PriceTable::parse(R"({"prices":[{"model":"a","in":1,"out":1,"x":1}]})", "p").ok());
}

}  // namespace
