#include "base/duration.h"

#include <catch2/catch.hpp>
#include <string>

using orch::base::parse_age;
using orch::base::parse_duration;

TEST_CASE("durations have units") {
  CHECK(*parse_duration("90s") == 90'000);
  CHECK(*parse_duration("10m") == 600'000);
  CHECK(*parse_duration("2h") == 7'200'000);
  CHECK(*parse_duration("1d") == 86'400'000);
  CHECK(*parse_duration("2w1d") == 15 * 86'400'000);
  CHECK(*parse_duration("500ms") == 500);
  CHECK(*parse_duration("1h30m") == 5'400'000);
  CHECK(*parse_duration("1m500ms") == 60'500);
  CHECK(*parse_duration("365d") == int64_t{365} * 86'400'000);
}

TEST_CASE("what is not a duration, or none that anybody means, is refused by name") {
  for (const std::string text : {"",       "0",
                                 "0s",     "s",
                                 "-1s",    "+1s",
                                 "1.5h",   "1x",
                                 "1 s",    " 1s",
                                 "1s ",    "10m5",
                                 "1h-5m",  "366d",
                                 "1h365d", "99999999999999999999s",
                                 "45",     "9223372036854775807",
                                 "0x10",   "forever"}) {
    INFO(text);
    const auto duration = parse_duration(text);
    REQUIRE_FALSE(duration);
    CHECK(duration.error().code == orch::base::ErrorCode::kUsage);
    CHECK(duration.error().text.find("\"" + text + "\"") != std::string::npos);
  }
}

TEST_CASE("a number alone is refused with what to write") {
  CHECK(parse_duration("10").error().text == "\"10\" has no unit; write 10s, 10m or 10h");
}

TEST_CASE("how long ago something was may be no time at all") {
  CHECK(*parse_age("0s") == 0);
  CHECK(*parse_age("0") == 0);
  CHECK(*parse_age("7d") == int64_t{7} * 86'400'000);
  CHECK_FALSE(parse_age(""));
  CHECK_FALSE(parse_age("-1s"));
}
