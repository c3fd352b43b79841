#include "ui/elapsed.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <string>

using orch::ui::elapsed_text;
using orch::ui::elapsed_words;
using orch::ui::local_time_text;

TEST_CASE("elapsed time is told in two units at most") {
  CHECK(elapsed_text(999) == "0s");
  CHECK(elapsed_text(59'000) == "59s");
  CHECK(elapsed_text(185'000) == "3m05s");
  CHECK(elapsed_text(7'800'000) == "2h10m");
  CHECK(elapsed_text(int64_t{76} * 3'600'000) == "3d04h");
}

TEST_CASE("in a sentence units stand apart from their numbers") {
  CHECK(elapsed_words(999) == "0 s");
  CHECK(elapsed_words(59'000) == "59 s");
  CHECK(elapsed_words(185'000) == "3 min 5 s");
  CHECK(elapsed_words(7'800'000) == "2 h 10 min");
  CHECK(elapsed_words(int64_t{76} * 3'600'000) == "3 d 4 h");
}

TEST_CASE("people are told times of their own time zone") {
  const char* before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TZ", "XYZ-2:30", 1);
  ::tzset();
  CHECK(local_time_text("2026-11-27T22:40:43.512Z") == "2026-11-28 01:10:43");
  CHECK(local_time_text("yesterday") == "yesterday");
  CHECK(local_time_text("").empty());
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", kept.c_str(), 1);
  ::tzset();
}
