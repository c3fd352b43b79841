#include "propose/moments.h"

#include <catch2/catch.hpp>

namespace orch::propose {

TEST_CASE("a screen that stands still is a rest, once") {
  Moments moments({20, 4});
  moments.on_output(0, "> ");
  moments.on_output(500, "\x1b[31m");  // changes no text
  const std::vector<Moment> all = moments.finish(10'000);
  REQUIRE(all.size() == 1);
  CHECK(all[0].rests);
  CHECK(all[0].ms == kRestMs);
  CHECK(all[0].rows == std::vector<std::string>{">"});
  CHECK(all[0].enters == 0);
}

TEST_CASE("what changes after Enter is a sample of work, but for the echo of keys") {
  Moments moments({20, 4});
  moments.on_output(0, "> ");
  moments.on_output(1'000, "welcome");  // before any Enter
  moments.on_input(5'000, "x\r");
  moments.on_output(5'100, "x\r\n");
  moments.on_output(6'000, "* works");
  moments.on_output(6'100, "* works 1s");  // too soon after the last sample
  moments.on_output(6'900, "\r\ndone");
  const std::vector<Moment> all = moments.finish(20'000);
  REQUIRE(all.size() == 4);
  CHECK(all[0].rests);
  CHECK_FALSE(all[1].rests);
  CHECK(all[1].ms == 6'000);
  CHECK(all[1].enters == 1);
  CHECK_FALSE(all[2].rests);
  CHECK(all[2].ms == 6'900);
  CHECK(all[3].rests);
}

TEST_CASE("a rest that the screen left before it was long enough is none") {
  Moments moments({20, 4});
  moments.on_output(0, "a");
  moments.on_output(kRestMs - 1, "b");
  moments.on_resize(2 * kRestMs, {10, 4});
  CHECK(moments.finish(2 * kRestMs).size() == 1);
}

}  // namespace orch::propose
