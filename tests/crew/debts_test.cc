#include "crew/debts.h"

#include <catch2/catch.hpp>

using namespace orch::crew;

TEST_CASE("what a crew owes is read as it was written, and is on its way no more") {
  Debts debts;
  debts.handovers = {{"b", "a", "The plan is ready.\nGo on.", 0}, {"c", "a", "x", 0}};
  debts.handovers[1].message = "20261125T100000000-crew-shop-c-0a1b/m4";
  debts.told = {{"a", 0}, {"b", 4'000'000'000}};
  debts.spent = {123'456, 0.75};
  debts.budget = {500'000, 0};
  debts.notices = {{"c", {"20261125T100000000-crew-shop-c-0a1b/m3", 77}}};
  CHECK(*debts_from_json(to_json(debts), "debts") == debts);
  CHECK(*debts_from_json(to_json(Debts()), "debts") == Debts());
  Debts on_its_way = debts;
  on_its_way.handovers[0].id = 7;
  CHECK(*debts_from_json(to_json(on_its_way), "debts") == debts);
}

TEST_CASE("what is no crew's debts is an error that names it") {
  for (const char* text : {"", "[]", "{}", R"({"handovers": {}})", R"({"handovers": [7]})",
                           R"({"handovers": [{"to": "a", "from": "b"}]})"}) {
    INFO(text);
    const auto debts = debts_from_json(text, "crews/x.json");
    REQUIRE_FALSE(debts.ok());
    CHECK(debts.error().text.find("crews/x.json") == 0);
  }
}
