#include <catch2/catch.hpp>

#include "options/run_option.h"

namespace orch::options {

TEST_CASE("Sizes are bytes or powers of 1024") {
  CHECK(*parse_bytes("4096") == 4096);
  CHECK(*parse_bytes("64K") == 65'536);
  CHECK(*parse_bytes("256M") == 268'435'456);
  CHECK(*parse_bytes("2G") == 2'147'483'648);
}

TEST_CASE("What is not a size is an error that says how to write one") {
  for (const char* text : {"", "0", "-1", "M", "1T", "1MB", "1.5M", "1 M", "99999999999999999999",
                           "9223372036854775807G"}) {
    CAPTURE(text);
    const auto size = parse_bytes(text);
    REQUIRE_FALSE(size.ok());
    CHECK(size.error().text.find("256M") != std::string::npos);
  }
}

}  // namespace orch::options
