#include "demo/late_output.h"

#include <catch2/catch.hpp>

using orch::demo::LateOutput;

TEST_CASE("late output comes out whole, in order, and so much later") {
  LateOutput late(3'000);
  late.add("one ", 100);
  late.add("", 200);
  late.add("two ", 300);
  late.add("three", 2'000);
  CHECK(late.take(3'099).empty());
  CHECK(late.deadline() == 3'100);
  CHECK(late.take(3'300) == "one two ");
  CHECK(late.deadline() == 5'000);
  CHECK(late.take(9'000) == "three");
  CHECK_FALSE(late.deadline());
}

TEST_CASE("without a lag output comes out at once") {
  LateOutput late(0);
  late.add("now", 100);
  CHECK(late.take(100) == "now");
}
