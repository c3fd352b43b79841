#include "policy/dialog_answer.h"

#include <catch2/catch.hpp>

namespace orch::policy {
namespace {

using agent::Meaning;

agent::DialogRequest request(const std::vector<Meaning>& meanings) {
  agent::DialogRequest request;
  for (const Meaning meaning : meanings) request.options.push_back({"", meaning});
  return request;
}

}  // namespace

TEST_CASE("The option is found by its meaning wherever it stands") {
  const auto claude = request({Meaning::kAllowOnce, Meaning::kAllowAlways, Meaning::kDeny});
  CHECK(option_for(claude, Answer::kAllow) == 0);
  CHECK(option_for(claude, Answer::kDeny) == 2);
  CHECK(!option_for(claude, Answer::kNone));
  const auto turned = request({Meaning::kDeny, Meaning::kAllowOnce});
  CHECK(option_for(turned, Answer::kAllow) == 1);
  CHECK(option_for(turned, Answer::kDeny) == 0);
}

TEST_CASE("Without the wanted meaning, or with two of it, there is no option") {
  CHECK(!option_for(request({Meaning::kAllowAlways, Meaning::kDeny}), Answer::kAllow));
  CHECK(!option_for(request({Meaning::kAllowOnce, Meaning::kAllowOnce, Meaning::kDeny}),
                    Answer::kAllow));
  CHECK(!option_for(request({Meaning::kOther, Meaning::kOther}), Answer::kAllow));
  CHECK(!option_for(request({}), Answer::kDeny));
}

}  // namespace orch::policy
