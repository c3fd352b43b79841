#include "tape/difference.h"

#include <catch2/catch.hpp>

namespace orch::tape {
namespace {

TEST_CASE("differences name their place and both values") {
  CHECK(differences(R"({"a":[1,{"b":"x"}]})", R"({"a":[1,{"b":"y"}]})", 9) ==
        std::vector<Difference>{{"/a/1/b", "x", "y"}});
  CHECK(differences(R"({"a":1,"b":2})", R"({"b":2,"c":3})", 9) ==
        std::vector<Difference>{{"/a", "1", "(missing)"}, {"/c", "(missing)", "3"}});
  CHECK(differences("[1]", "[1,[2]]", 9) == std::vector<Difference>{{"/1", "(missing)", "[2]"}});
  CHECK(differences(R"("x")", "[]", 9) == std::vector<Difference>{{"", "x", "[]"}});
  CHECK(differences(R"({"a":1})", R"({"a":1})", 9).empty());
}

TEST_CASE("of long texts the part around the difference is shown, without half a character") {
  const std::string same(1'000, 'a'), umlauts = "ääääääääääääää";
  const std::vector<Difference> found =
      differences("\"" + same + umlauts + "X\"", "\"" + same + umlauts + "Y" + same + "\"", 9);
  REQUIRE(found.size() == 1);
  CHECK(found[0].expected == "…ääääääääääääX");
  CHECK(found[0].actual.starts_with("…ääääääääääääYaaa"));
  CHECK(found[0].actual.ends_with("a…"));
  CHECK(found[0].actual.size() < 120);
}

TEST_CASE("no more differences are listed than wanted") {
  CHECK(differences("[1,2,3,4]", "[5,6,7,8]", 2).size() == 2);
}

}  // namespace
}  // namespace orch::tape
