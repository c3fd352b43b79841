#include "base/name.h"

#include <catch2/catch.hpp>
#include <string>

using orch::base::did_you_mean;
using orch::base::is_name;
using orch::base::nearest_name;
using orch::base::without_number_sign;

TEST_CASE("a name can stand in a path and on a command line") {
  for (const char* good : {"1", "a", "Fix-42_b", "0-"}) CHECK(is_name(good));
  for (const char* bad : {"", "-a", "_a", ".", "..", "a/b", "a b", "a.b", "é", "a\n", "a\x1b"}) {
    CHECK_FALSE(is_name(bad));
  }
  CHECK(is_name(std::string(64, 'a')));
  CHECK_FALSE(is_name(std::string(65, 'a')));
  CHECK_FALSE(is_name("abc", 2));
}

TEST_CASE("an issue may be written with a number sign") {
  CHECK(without_number_sign("#42") == "42");
  for (const char* other : {"42", "#", "#a1", "##1", "", "4#2"}) {
    CHECK(without_number_sign(other) == other);
  }
}

TEST_CASE("the name that is meant is the one that is most like it, if any is") {
  const std::vector<std::string_view> known{"model", "mode", "timeout", "max_loops"};
  CHECK(nearest_name("modle", known) == "model");
  CHECK(nearest_name("mdoe", known) == "mode");
  CHECK(nearest_name("max-loops", known) == "max_loops");
  CHECK(nearest_name("time_out", known) == "timeout");
  CHECK(nearest_name("budget", known).empty());
  CHECK(nearest_name("", known).empty());
  CHECK(did_you_mean("modle", known) == "; did you mean model?");
  CHECK(did_you_mean("budget", known).empty());
  CHECK(nearest_name(std::string(100'000, 'm'), known).empty());
}
