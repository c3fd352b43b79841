#include <catch2/catch.hpp>

#include "event/exit_reason.h"

using orch::base::ErrorCode;
using orch::event::exit_code;

TEST_CASE("each kind of error has the documented exit code") {
  CHECK(exit_code(ErrorCode::kUsage) == 2);
  CHECK(exit_code(ErrorCode::kSystem) == 125);
  CHECK(exit_code(ErrorCode::kNotExecutable) == 126);
  CHECK(exit_code(ErrorCode::kNotFound) == 127);
}
