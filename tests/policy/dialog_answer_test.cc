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
  CHECK(options_for(claude, Answer::kAllow) == std::vector<size_t>{0});
  CHECK(options_for(claude, Answer::kDeny) == std::vector<size_t>{2});
  CHECK(!options_for(claude, Answer::kNone));
  const auto turned = request({Meaning::kDeny, Meaning::kAllowOnce});
  CHECK(options_for(turned, Answer::kAllow) == std::vector<size_t>{1});
  CHECK(options_for(turned, Answer::kDeny) == std::vector<size_t>{0});
}

TEST_CASE("Without the wanted meaning, or with two of it, there is no option") {
  CHECK(!options_for(request({Meaning::kAllowAlways, Meaning::kDeny}), Answer::kAllow));
  CHECK(!options_for(request({Meaning::kAllowOnce, Meaning::kAllowOnce, Meaning::kDeny}),
                     Answer::kAllow));
  CHECK(!options_for(request({Meaning::kOther, Meaning::kOther}), Answer::kAllow));
  CHECK(!options_for(request({}), Answer::kDeny));
}

TEST_CASE("Of tick boxes none is ticked to deny, and nothing says which ones to allow") {
  agent::DialogRequest set = request({Meaning::kOther, Meaning::kDeny});
  set.options[0].ticked = true;
  CHECK(options_for(set, Answer::kDeny) == std::vector<size_t>{});
  CHECK(!options_for(set, Answer::kAllow));
  CHECK(!options_for(set, Answer::kNone));
}

}  // namespace orch::policy
