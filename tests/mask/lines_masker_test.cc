#include "mask/lines_masker.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "planted.h"

using namespace orch::mask;
using Lines = std::vector<std::string>;

namespace {

LinesMasker make() { return LinesMasker(std::make_shared<const Secrets>(Lines{kPlanted})); }

}  // namespace

TEST_CASE("a secret in one line, and one that goes on in the next, become stars") {
  LinesMasker masker = make();
  masker.add("say " + kPlanted + " twice " + kPlanted, false);
  CHECK(masker.take_known() == Lines{"say *** twice ***"});
  for (size_t at = LinesMasker::kLeastOpen; at < kPlanted.size(); ++at) {
    masker.add("it is " + kPlanted.substr(0, at), false);
    CHECK(masker.take_known().empty());
    masker.add(kPlanted.substr(at) + " indeed", true);
    CHECK(masker.take_known() == Lines{"it is ***", "*** indeed"});
    CHECK_FALSE(masker.holds());
  }
}

TEST_CASE("lines that come together are covered wherever a secret is broken") {
  LinesMasker masker = make();
  for (size_t at = 1; at < kPlanted.size(); ++at) {
    masker.add(kPlanted.substr(0, at), false);
    masker.add(kPlanted.substr(at), false);
    CHECK(masker.take_known() == Lines{"***", "***"});
  }
}

TEST_CASE("a line that only begins like a secret is whole again") {
  LinesMasker masker = make();
  masker.add("it is pl4nted", false);
  CHECK(masker.take_known().empty());
  CHECK(masker.holds());
  masker.add("or not", false);
  CHECK(masker.take_known() == Lines{"it is pl4nted", "or not"});
  masker.add("it is pl4nted", false);
  CHECK(masker.take_all() == Lines{"it is pl4nted"});
}

TEST_CASE("a key does not reach over the end of a paragraph") {
  LinesMasker masker = make();
  masker.add("export OPENAI_API_KEY_WITH_A_LONG_NAME=sk-0a1B2c3D4e5F6a7B8c9D0", false);
  masker.add("export PATH", false);
  CHECK(masker.take_known() == Lines{"export OPENAI_API_KEY_WITH_A_LONG_NAME=***", "export PATH"});
}
