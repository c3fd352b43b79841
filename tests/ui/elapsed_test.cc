#include "ui/elapsed.h"

#include <catch2/catch.hpp>

using orch::ui::elapsed_text;

TEST_CASE("elapsed time is told in two units at most") {
  CHECK(elapsed_text(999) == "0s");
  CHECK(elapsed_text(59'000) == "59s");
  CHECK(elapsed_text(185'000) == "3m05s");
  CHECK(elapsed_text(7'800'000) == "2h10m");
  CHECK(elapsed_text(int64_t{76} * 3'600'000) == "3d04h");
}
