#include "base/words.h"

#include <catch2/catch.hpp>

namespace {

enum class Colour { kRed, kBlue, kNameless };
constexpr orch::base::Words<Colour, 2> kColours{{{Colour::kRed, "red"}, {Colour::kBlue, "blue"}}};

}  // namespace

TEST_CASE("a value has its word and a word its value, if any") {
  CHECK(orch::base::word_of(kColours, Colour::kBlue) == "blue");
  CHECK(orch::base::value_of(kColours, "blue") == Colour::kBlue);
  CHECK(orch::base::word_of(kColours, Colour::kNameless).empty());
  CHECK_FALSE(orch::base::value_of(kColours, "").has_value());
  CHECK_FALSE(orch::base::value_of(kColours, "Red").has_value());
}
