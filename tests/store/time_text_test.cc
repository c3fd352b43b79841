#include "store/time_text.h"

#include <catch2/catch.hpp>
#include <chrono>

using namespace orch::store;
using namespace std::chrono_literals;

namespace {

TimePoint at(std::chrono::nanoseconds since_epoch) {
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(since_epoch));
}

}  // namespace

TEST_CASE("times are RFC 3339 in UTC with milliseconds") {
  CHECK(rfc3339_utc(at(0s)) == "1970-01-01T00:00:00.000Z");
  CHECK(rfc3339_utc(at(1795295448123456789ns)) == "2026-11-21T21:10:48.123Z");
  CHECK(rfc3339_utc(at(951782399s + 999ms)) == "2000-02-28T23:59:59.999Z");
  CHECK(rfc3339_utc(at(951782400s)) == "2000-02-29T00:00:00.000Z");
}

TEST_CASE("milliseconds round down, also before 1970") {
  CHECK(rfc3339_utc(at(1ms + 999999ns)) == "1970-01-01T00:00:00.001Z");
  CHECK(rfc3339_utc(at(-1ns)) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("a time is read as it was written, and nothing else is one") {
  for (const TimePoint time : {at(0s), at(1795295448123ms), at(951782400s), at(-1ms)}) {
    CHECK(parse_rfc3339_utc(rfc3339_utc(time)) == time);
  }
  for (const char* text :
       {"", "2026-11-21", "2026-11-21T21:10:48Z", "2026-02-30T00:00:00.000Z",
        "2026-11-21T24:00:00.000Z", "2026-11-21T21:10:48.123Z ", "2026-11-21T-1:10:48.123Z"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_rfc3339_utc(text).has_value());
  }
}

TEST_CASE(
    "the compact form has no punctuation but the T, and is read with and without milliseconds") {
  CHECK(compact_utc(at(1795295448999ms)) == "20261121T211048");
  CHECK(compact_utc(at(0s)) == "19700101T000000");
  CHECK(compact_utc_ms(at(1795295448009ms)) == "20261121T211048009");
  CHECK(parse_compact_utc("20261121T211048009") == at(1795295448009ms));
  CHECK(parse_compact_utc("20261121T211048") == at(1795295448s));
  for (const char* text : {"", "20261121T21104", "20261121T2110480", "20261121T2110480099",
                           "20261121 211048", "20261321T211048", "2026112xT211048"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_compact_utc(text).has_value());
  }
}
