#include "store/since.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>

using namespace orch::store;

namespace {

// A time zone for one test.
class Zone {
 public:
  explicit Zone(const char* name) {
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~Zone() {
    ::unsetenv("TZ");
    ::tzset();
  }
};

std::string since(std::string_view word, const char* now = "2026-11-27T08:30:00.000Z") {
  const auto moment = moment_of(word, *parse_rfc3339_utc(now));
  return moment ? rfc3339_utc(*moment) : moment.error().text;
}

}  // namespace

TEST_CASE("how long ago something was may be told in weeks, too") {
  CHECK(since("12h") == "2026-11-26T20:30:00.000Z");
  CHECK(since("3d") == "2026-11-24T08:30:00.000Z");
  CHECK(since("1w") == "2026-11-20T08:30:00.000Z");
  CHECK(since("1w1d") == "2026-11-19T08:30:00.000Z");
  CHECK(since("0s") == "2026-11-27T08:30:00.000Z");
}

TEST_CASE("days begin at midnight where the person is") {
  SECTION("east") {
    const Zone zone("XXX-5:30");
    CHECK(since("today") == "2026-11-26T18:30:00.000Z");
    CHECK(since("yesterday") == "2026-11-25T18:30:00.000Z");
    CHECK(since("2026-11-27") == "2026-11-26T18:30:00.000Z");
    CHECK(since("2026-11-27T06:00") == "2026-11-27T00:30:00.000Z");
  }
  SECTION("west, where it is still the day before") {
    const Zone zone("XXX9");
    CHECK(since("today") == "2026-11-26T09:00:00.000Z");
    CHECK(since("2026-11-26") == "2026-11-26T09:00:00.000Z");
  }
  SECTION("the day after the clocks were changed") {
    const Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
    CHECK(since("today", "2026-10-26T12:00:00.000Z") == "2026-10-25T23:00:00.000Z");
    CHECK(since("yesterday", "2026-10-26T12:00:00.000Z") == "2026-10-24T22:00:00.000Z");
  }
}

TEST_CASE("a time of day may be that of UTC, and have seconds") {
  const Zone zone("XXX-5");
  CHECK(since("2026-11-26T18:00Z") == "2026-11-26T18:00:00.000Z");
  CHECK(since("2026-11-26T18:00:30Z") == "2026-11-26T18:00:30.000Z");
  CHECK(since("2026-11-26T18:00:30") == "2026-11-26T13:00:30.000Z");
  CHECK(since("2026-11-26 18:00") == "2026-11-26T13:00:00.000Z");
}

TEST_CASE("a word that is not a time is refused with what to write") {
  for (const char* word : {"", "w", "x", "1y", "-1h", "1w-1d", "2026-02-30", "2026-13-01",
                           "2026-11-27Tx", "yesterday ", "\x1b[2J", "99999w", "9999w9999w"}) {
    INFO(word);
    const std::string text = since(word);
    CHECK(text.find("is not a time; write 12h") != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
  }
  CHECK(since("2027-01-01") == "\"2027-01-01\" is in the future");
}
