#include "event/exit_reason.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace orch::event;

namespace {

int combined(std::initializer_list<int> codes) {
  return combined_exit_code(std::vector<int>(codes));
}

}  // namespace

TEST_CASE("the exit table has one row for each reason, with a name of its own") {
  std::set<ExitReason> reasons;
  std::set<std::string_view> names;
  for (const ExitRow& row : exit_table()) {
    reasons.insert(row.reason);
    names.insert(row.name);
    CHECK(name(row.reason) == row.name);
    CHECK(exit_reason_named(row.name) == row.reason);
    CHECK_FALSE(row.description.empty());
    CHECK(row.description.find('\n') == std::string_view::npos);
  }
  constexpr size_t kReasons = static_cast<size_t>(ExitReason::kKilled) + 1;
  CHECK(exit_table().size() == kReasons);
  CHECK(reasons.size() == kReasons);
  CHECK(names.size() == kReasons);
  CHECK_FALSE(exit_reason_named("success"));
}

TEST_CASE("the exit codes are the ones scripts rely on") {
  struct Expected {
    ExitReason reason;
    int code;
  };
  constexpr std::array<Expected, 23> kExpected{{
      {ExitReason::kComplete, 0},
      {ExitReason::kIdle, 0},
      {ExitReason::kExit, 0},
      {ExitReason::kAgentFailed, 1},
      {ExitReason::kExitedEarly, 1},
      {ExitReason::kAgentError, 1},
      {ExitReason::kTaskFailed, 1},
      {ExitReason::kUsage, 2},
      {ExitReason::kNeedsHuman, 10},
      {ExitReason::kGateFailed, 20},
      {ExitReason::kNoChanges, 21},
      {ExitReason::kRetryLater, 75},
      {ExitReason::kTimeout, 124},
      {ExitReason::kTurns, 124},
      {ExitReason::kTokens, 124},
      {ExitReason::kCost, 124},
      {ExitReason::kStuck, 124},
      {ExitReason::kInternal, 125},
      {ExitReason::kNotExecutable, 126},
      {ExitReason::kNotFound, 127},
      {ExitReason::kInterrupted, 130},
      {ExitReason::kTerminated, 143},
      {ExitReason::kKilled, 137},
  }};
  for (const auto& [reason, code] : kExpected) {
    INFO(name(reason));
    CHECK(exit_code(reason) == code);
  }
  CHECK(exit_code(ExitReason::kAgentSignal, 9) == 137);
  CHECK(exit_code(ExitReason::kAgentSignal, 15) == 143);
  CHECK(exit_code(ExitReason::kAgentFailed, 9) == 1);
}

TEST_CASE("of several issues the first that applies of a stated order is the whole's code") {
  CHECK(combined_order() ==
        "125, 130, 143, 1, 20, 21, 2, 126, 127, 137, the greatest other, 10, 124, 75, 0");
  constexpr std::array kOrder{125, 130, 143, 1, 20, 21, 2, 126, 127, 137, 139, 4, 10, 124, 75, 0};
  for (size_t first = 0; first < kOrder.size(); ++first) {
    std::vector<int> rest(kOrder.begin() + static_cast<long>(first), kOrder.end());
    CHECK(combined_exit_code(rest) == kOrder[first]);
    std::reverse(rest.begin(), rest.end());
    CHECK(combined_exit_code(rest) == kOrder[first]);
  }
  CHECK(combined({}) == 0);
  CHECK(combined({0, 0}) == 0);
}

TEST_CASE("a batch that was interrupted has no other code, whatever had failed before") {
  CHECK(combined({20, 130, 130}) == 130);
  CHECK(combined({143, 1, 0}) == 143);
  CHECK(combined({130, 137}) == 130);
  CHECK(combined({130, 125}) == 125);
}
