#include "driver/row_places.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace orch::driver {
namespace {

using Texts = std::vector<std::string>;
using Places = std::vector<size_t>;

Places places(const Texts& before, const Texts& now) {
  std::vector<uint64_t> old_rows, rows;
  for (const std::string& text : before) old_rows.push_back(row_hash(text));
  for (const std::string& text : now) rows.push_back(row_hash(text));
  Places places{7};  // what an earlier look has left
  find_places(old_rows, rows, places);
  return places;
}

TEST_CASE("rows that stayed are known by their place before") {
  const Texts rows{"a", "b", "c"};
  CHECK(places(rows, rows) == Places{0, 1, 2});
  CHECK(places(rows, {"b", "c", "d"}) == Places{1, 2, kNewRow});
  CHECK(places(rows, {"x", "a", "b"}) == Places{kNewRow, 0, 1});
  CHECK(places(rows, {"a", "x", "y", "c"}) == Places{0, kNewRow, kNewRow, 2});
  CHECK(places(rows, {"a", "c"}) == Places{0, 2});
  CHECK(places(rows, {"x", "y"}) == Places{kNewRow, kNewRow});
  CHECK(places(rows, {}).empty());
  CHECK(places({}, {"a"}) == Places{kNewRow});
}

TEST_CASE("a blank row stays nowhere, not even in its place") {
  CHECK(places({"a", "", "b"}, {"a", "", "b"}) == Places{0, kNewRow, 2});
  CHECK(places({"", "  "}, {"  ", ""}) == Places{kNewRow, kNewRow});
  CHECK(places({"a", "", "", "b"}, {"a", "", "b"}) == Places{0, kNewRow, 3});
}

TEST_CASE("of rows that changed places as many as can be stayed in their order") {
  CHECK(places({"a", "b", "c", "d"}, {"d", "a", "b", "c"}) == Places{kNewRow, 0, 1, 2});
  CHECK(places({"a", "a", "a"}, {"a", "a"}) == Places{0, 1});
}

// The greatest number of rows that can stay, counted in the simplest way.
size_t most_that_stay(const Texts& before, const Texts& now, size_t i = 0, size_t j = 0) {
  if (i == before.size() || j == now.size()) return 0;
  if (before[i] == now[j] && !now[j].empty()) return 1 + most_that_stay(before, now, i + 1, j + 1);
  return std::max(most_that_stay(before, now, i + 1, j), most_that_stay(before, now, i, j + 1));
}

TEST_CASE("on random screens no more rows could have stayed") {
  std::mt19937 random(7);
  const auto any_screen = [&random] {
    Texts rows(random() % 8);
    for (std::string& row : rows) row = std::vector<std::string>{"", "a", "b", "c"}[random() % 4];
    return rows;
  };
  for (int round = 0; round < 5'000; ++round) {
    const Texts before = any_screen(), now = any_screen();
    const Places found = places(before, now);
    REQUIRE(found.size() == now.size());
    size_t stayed = 0, next = 0;
    for (size_t i = 0; i < now.size(); ++i) {
      if (found[i] == kNewRow) continue;
      REQUIRE(found[i] >= next);  // in ascending order
      REQUIRE(before[found[i]] == now[i]);
      REQUIRE(!now[i].empty());
      next = found[i] + 1;
      ++stayed;
    }
    REQUIRE(stayed == most_that_stay(before, now));
  }
}

}  // namespace
}  // namespace orch::driver
