#include "meta/backoff.h"

#include <catch2/catch.hpp>

using orch::meta::Backoff;
using orch::meta::delay_ms;

namespace {
constexpr Backoff kBackoff{.attempts = 5, .first_ms = 100, .most_ms = 300, .total_ms = 1'000};
}

TEST_CASE("a wait doubles up to its most, and is spread over its upper half") {
  CHECK(delay_ms(kBackoff, 1, 0, {}, 0.0) == 50);
  CHECK(delay_ms(kBackoff, 1, 0, {}, 0.999) == 99);
  CHECK(delay_ms(kBackoff, 2, 0, {}, 0.0) == 100);
  CHECK(delay_ms(kBackoff, 3, 0, {}, 0.0) == 150);
  CHECK(delay_ms(kBackoff, 4, 0, {}, 0.0) == 150);
}

TEST_CASE("attempts and the whole are bounded") {
  CHECK_FALSE(delay_ms(kBackoff, 5, 0, {}, 0.0));
  CHECK(delay_ms(kBackoff, 1, 949, {}, 0.0));
  CHECK_FALSE(delay_ms(kBackoff, 1, 950, {}, 0.0));
}

TEST_CASE("what a server asks for is waited at least, unless that is beyond the end") {
  CHECK(delay_ms(kBackoff, 1, 0, 700, 0.0) == 700);
  CHECK(delay_ms(kBackoff, 1, 0, 700, 0.5) == 725);
  CHECK(delay_ms(kBackoff, 1, 0, 0, 0.0) == 0);
  CHECK_FALSE(delay_ms(kBackoff, 1, 0, 1'000, 0.0));
}
