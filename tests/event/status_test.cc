#include "event/status.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <string_view>

using namespace orch::event;

namespace {

constexpr int kStatusCount = static_cast<int>(AgentStatus::kExited) + 1;
constexpr int kCauseCount = static_cast<int>(Cause::kDraft) + 1;

}  // namespace

TEST_CASE("every status has a name of its own that leads back to it") {
  std::set<std::string_view> names;
  for (int i = 0; i < kStatusCount; ++i) {
    const auto status = static_cast<AgentStatus>(i);
    CHECK(status_named(name(status)) == status);
    names.insert(name(status));
  }
  CHECK(names ==
        std::set<std::string_view>{"starting", "idle", "working", "waiting", "error", "exited"});
  CHECK_FALSE(status_named(""));
  CHECK_FALSE(status_named("Idle"));
}

TEST_CASE("every cause has a name of its own that leads back to it") {
  std::set<std::string_view> names;
  for (int i = 0; i < kCauseCount; ++i) {
    const auto cause = static_cast<Cause>(i);
    CHECK(cause_named(name(cause)) == cause);
    names.insert(name(cause));
  }
  CHECK(names.size() == kCauseCount);
  CHECK(name(Cause::kNone).empty());
  CHECK_FALSE(cause_named("bored"));
}

TEST_CASE("each cause goes with exactly one status, none goes with all") {
  for (int c = 0; c < kCauseCount; ++c) {
    int statuses = 0;
    for (int s = 0; s < kStatusCount; ++s) {
      statuses += allowed(static_cast<AgentStatus>(s), static_cast<Cause>(c)) ? 1 : 0;
    }
    CHECK(statuses == (c == 0 ? kStatusCount : 1));
  }
  CHECK(allowed(AgentStatus::kWaiting, Cause::kPermission));
  CHECK(allowed(AgentStatus::kError, Cause::kContext));
  CHECK(allowed(AgentStatus::kWorking, Cause::kSubmitted));
  CHECK(allowed(AgentStatus::kIdle, Cause::kDraft));
  CHECK_FALSE(allowed(AgentStatus::kIdle, Cause::kTool));
}

TEST_CASE("an agent takes input when idle or after an error only") {
  CHECK(accepts_input(AgentStatus::kIdle));
  CHECK(accepts_input(AgentStatus::kError));
  CHECK_FALSE(accepts_input(AgentStatus::kStarting));
  CHECK_FALSE(accepts_input(AgentStatus::kWorking));
  CHECK_FALSE(accepts_input(AgentStatus::kWaiting));
  CHECK_FALSE(accepts_input(AgentStatus::kExited));
}
