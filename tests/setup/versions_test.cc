#include "setup/versions.h"

#include <catch2/catch.hpp>

namespace orch::setup {

TEST_CASE("The version is the first dotted number that a program prints") {
  CHECK(version_in("2.1.197 (Claude Code)\n") == "2.1.197");
  CHECK(version_in("codex-cli 0.169.0") == "0.169.0");
  CHECK(version_in("v1.18.33") == "1.18.33");
  CHECK(version_in("2025.11.21-abcdef") == "2025.11.21");
  CHECK(version_in("a warning\n0.61.0\n") == "0.61.0");
  CHECK(version_in("no version 7 here").empty());
  CHECK(version_in("").empty());
}

TEST_CASE("Versions compare number by number") {
  CHECK(is_newer("2.1.330", "2.1.197"));
  CHECK(is_newer("2.1.10", "2.1.9"));
  CHECK(is_newer("3", "2.9.9"));
  CHECK(is_newer("1.0.1", "1.0"));
  CHECK_FALSE(is_newer("1.0", "1.0.0"));
  CHECK_FALSE(is_newer("2.1.9", "2.1.10"));
  CHECK_FALSE(is_newer("", "1"));
}

}  // namespace orch::setup
