// The mode in which an agent asks for nothing any more: only a rule of its own can accept it.
#include <catch2/catch.hpp>

#include "policy/policy.h"

using namespace orch::policy;
using orch::agent::DialogRequest;
using orch::agent::Meaning;
using orch::event::Cause;

namespace {

DialogRequest request(Cause kind, DialogRequest::Action action) {
  DialogRequest request;
  request.kind = kind;
  request.action = action;
  request.complete = true;
  request.title = "A warning";
  request.options = {{"No, exit", Meaning::kDeny}, {"Yes, I accept", Meaning::kAllowOnce}};
  return request;
}

Answer answer(const Policy& policy, const DialogRequest& request) {
  return policy.decide({"claude", request, "/home/me/project", Held::kByFence}).answer;
}

Policy policy_of(std::string_view json) { return Policy::parse(json, "policy.json").value(); }

}  // namespace

TEST_CASE("a bypass is accepted by a rule of that kind alone") {
  const DialogRequest bypass = request(Cause::kTrust, DialogRequest::Action::kBypass);
  CHECK(answer(Policy::all(), bypass) == Answer::kNone);
  CHECK(answer(policy_of(R"({"default":"all"})"), bypass) == Answer::kNone);
  CHECK(answer(policy_of(R"({"rules":[{"answer":"allow"}]})"), bypass) == Answer::kNone);
  CHECK(answer(policy_of(R"({"rules":[{"kind":"trust","answer":"allow"}]})"), bypass) ==
        Answer::kNone);
  CHECK(answer(policy_of(R"({"rules":[{"kind":"bypass","answer":"allow"}]})"), bypass) ==
        Answer::kAllow);
  CHECK(answer(policy_of(R"({"rules":[{"kind":"trust","answer":"deny"}]})"), bypass) ==
        Answer::kDeny);
}

TEST_CASE("a rule for the bypass says nothing of other dialogs") {
  const Policy policy = policy_of(R"({"rules":[{"kind":"bypass","answer":"allow"}]})");
  CHECK(answer(policy, request(Cause::kTrust, DialogRequest::Action::kUnknown)) == Answer::kNone);
  CHECK(answer(policy, request(Cause::kPermission, DialogRequest::Action::kOther)) ==
        Answer::kNone);
}

TEST_CASE("a dialog that its agent's manifest does not know is told by its words") {
  DialogRequest unknown = request(Cause::kTrust, DialogRequest::Action::kUnknown);
  CHECK(answer(Policy::all(), unknown) == Answer::kAllow);
  unknown.title = "Running in YOLO mode";
  CHECK(answer(Policy::all(), unknown) == Answer::kNone);
}

TEST_CASE("tools of servers and fetches are a person's, reading is not") {
  CHECK(answer(Policy::all(), request(Cause::kPermission, DialogRequest::Action::kOther)) ==
        Answer::kNone);
  CHECK(answer(Policy::all(), request(Cause::kPermission, DialogRequest::Action::kRead)) ==
        Answer::kAllow);
  const Policy ruled = policy_of(R"({"rules":[{"kind":"permission","answer":"allow"}]})");
  CHECK(answer(ruled, request(Cause::kPermission, DialogRequest::Action::kOther)) ==
        Answer::kAllow);
}
