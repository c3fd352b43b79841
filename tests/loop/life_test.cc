#include "loop/life.h"

#include <catch2/catch.hpp>
#include <optional>

using orch::loop::Life;

TEST_CASE("a watch tells that its object was destroyed, also to those around it") {
  std::optional<Life> life(std::in_place);
  const Life::Watch outer(*life);
  {
    const Life::Watch inner(*life);
    CHECK_FALSE(inner.ended());
    life.reset();
    CHECK(inner.ended());
  }
  CHECK(outer.ended());
}

TEST_CASE("a watch that is over leaves the object to the one around it") {
  std::optional<Life> life(std::in_place);
  const Life::Watch outer(*life);
  { const Life::Watch inner(*life); }
  CHECK_FALSE(outer.ended());
  life.reset();
  CHECK(outer.ended());
}
