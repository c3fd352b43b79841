#include "http/retry_after.h"

#include <catch2/catch.hpp>

using orch::http::retry_after_ms;

TEST_CASE("Retry-After is read as seconds or as a date") {
  constexpr int64_t kNow = 784'111'770;  // 7 s before the date of RFC 9110
  CHECK(retry_after_ms("0", kNow) == 0);
  CHECK(retry_after_ms(" 120 ", kNow) == 120'000);
  CHECK(retry_after_ms("Sun, 06 Nov 1994 08:49:37 GMT", kNow) == 7'000);
  CHECK(retry_after_ms("Sun, 06 Nov 1994 08:49:37 GMT", kNow + 100) == 0);
  CHECK(retry_after_ms("99999999999", kNow) == 366 * 86'400 * int64_t{1'000});
}

TEST_CASE("what is neither is nothing") {
  for (const char* value : {"", "-1", "soon", "1.5", "Sun, 06 Abc 1994 08:49:37 GMT",
                            "Sun, 31 Feb 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"}) {
    INFO(value);
    CHECK_FALSE(retry_after_ms(value, 0));
  }
}
