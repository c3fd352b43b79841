#include "task_run/run_end.h"

#include <catch2/catch.hpp>
#include <string>

namespace orch::task_run {
namespace {

RunEnd ended(event::ExitReason reason, int code, std::optional<int> agent_code) {
  RunEnd end;
  end.run = "20261125T100000000-a-t1-0001";
  end.code = code;
  end.result.emplace();
  end.result->reason = reason;
  end.result->code = code;
  end.result->agent_exit_code = agent_code;
  return end;
}

TEST_CASE("a test that ends by itself passes with 0 alone") {
  CHECK(test_end(ended(event::ExitReason::kExit, 0, 0)).passed());
  const task::TestEnd failed = test_end(ended(event::ExitReason::kAgentError, 1, 3));
  CHECK_FALSE(failed.passed());
  CHECK(failed.code == 3);
}

TEST_CASE("a test that somebody ended has not passed, whatever its command says") {
  const task::TestEnd killed = test_end(ended(event::ExitReason::kKilled, 137, 0));
  CHECK_FALSE(killed.passed());
  CHECK(killed.code == 137);
  CHECK_FALSE(test_end(ended(event::ExitReason::kTerminated, 143, 0)).passed());
  CHECK_FALSE(test_end(ended(event::ExitReason::kInterrupted, 130, 0)).passed());
}

TEST_CASE("a test that took too long has not passed") {
  const task::TestEnd late = test_end(ended(event::ExitReason::kTimeout, 124, 0));
  CHECK_FALSE(late.passed());
  CHECK(late.timed_out);
  CHECK(late.code == 124);
}

TEST_CASE("a test whose run could not be made tells why") {
  RunEnd end;
  end.code = 125;
  end.complaint = "orch: no space left on device";
  CHECK_FALSE(test_end(end).passed());
  CHECK(test_end(end).output == end.complaint);
  CHECK(test_end(end).trouble == end.complaint);
  CHECK(test_end(ended(event::ExitReason::kAgentError, 1, 2)).trouble.empty());
  RunEnd own = ended(event::ExitReason::kInternal, 125, std::nullopt);
  own.result->detail = "its terminal could not be made";
  CHECK(test_end(own).trouble == own.result->detail);
}

}  // namespace
}  // namespace orch::task_run
