#include "tape/words.h"

#include <catch2/catch.hpp>

namespace orch::tape {
namespace {

TEST_CASE("dates are replaced, in digits and in words") {
  for (const char* date :
       {"2026-11-30", "2026-11-30T21:51:40Z", "2026-11-30T21:51:40.123+01:00", "11/30/2026",
        "1/3/2026", "Nov 30 2026", "November 30, 2026", "Monday, November 30, 2026",
        "Mon Nov 30 21:51:40 UTC 2026", "Mon Nov 30 21:51:40 2026", "30 November 2026",
        "Nov 30 21:51", "Nov  3"}) {
    INFO(date);
    CHECK(with_replaced_words("on " + std::string(date) + ", and") == "on {orch:date}, and");
  }
  for (const char* other : {"May I", "on Monday", "Sunday", "12026-11-300", "Marching 7", "1/2"}) {
    CHECK(with_replaced_words(other) == other);
  }
}

TEST_CASE("times of day are replaced, and places in a file are not") {
  CHECK(with_replaced_words("at 9:05") == "at {orch:time}");
  CHECK(with_replaced_words("at 21:51:40.5 UTC") == "at {orch:time} UTC");
  CHECK(with_replaced_words("at 9:05 PM.") == "at {orch:time}.");
  CHECK(with_replaced_words("sum.py:12:34: x") == "sum.py:12:34: x");
  CHECK(with_replaced_words("1:2:3") == "1:2:3");
}

TEST_CASE("hashes and long numbers are replaced, also behind an escaped line end") {
  CHECK(with_replaced_words("a1b2c3d Add it") == "{orch:hash} Add it");
  CHECK(with_replaced_words("1764539500123") == "{orch:hash}");
  CHECK(with_replaced_words(R"(commits:\na1b2c3d Add)") == R"(commits:\n{orch:hash} Add)");
  for (const char* other : {"defaced", "abc123", "x1234567", "1234567x", "A1B2C3D", "12345"}) {
    CHECK(with_replaced_words(other) == other);
  }
}

TEST_CASE("ids are replaced") {
  CHECK(with_replaced_words("run 123e4567-e89b-12d3-a456-426614174000.") == "run {orch:id}.");
  CHECK(with_replaced_words("Chunk ID: ab12c\nWall") == "Chunk ID: {orch:id}\nWall");
  CHECK(with_replaced_words("Process Group PGID: 4711)") == "Process Group PGID: {orch:id})");
  CHECK(with_replaced_words("cc_version=2.1.3.1f; cch=00a;") ==
        "cc_version={orch:id}; cch={orch:id};");
  CHECK(with_replaced_words("<duration_ms>794</duration_ms>") ==
        "<duration_ms>{orch:id}</duration_ms>");
  CHECK(with_replaced_words("<timezone>Europe/Berlin</timezone>") ==
        "<timezone>{orch:id}</timezone>");
}

TEST_CASE("durations are replaced") {
  CHECK(with_replaced_words("Wall time: 0.0512 seconds") == "Wall time: {orch:duration}");
  CHECK(with_replaced_words("took 8s, 120 ms") == "took {orch:duration}, {orch:duration}");
  CHECK(with_replaced_words("5 sons, 3 songs") == "5 sons, 3 songs");
}

TEST_CASE("the system's version is replaced") {
  CHECK(with_replaced_words("OS Version: Linux 6.8.0-45-generic\n") ==
        "OS Version: Linux {orch:version}\n");
  CHECK(with_replaced_words("Linux kernel") == "Linux kernel");
}

TEST_CASE("replaced words stay when they are replaced again") {
  const std::string once = with_replaced_words("2026-11-30 a1b2c3d 9:05 Linux 6.8 5s {orch:x");
  CHECK(with_replaced_words(once) == once);
}

}  // namespace
}  // namespace orch::tape
