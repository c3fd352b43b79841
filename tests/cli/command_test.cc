#include "cli/command.h"

#include <catch2/catch.hpp>

using orch::base::Error;
using orch::base::ErrorCode;
using orch::cli::exit_code_of;

TEST_CASE("each kind of error has the documented exit code") {
  CHECK(exit_code_of(Error{ErrorCode::kUsage, ""}) == 2);
  CHECK(exit_code_of(Error{ErrorCode::kSystem, ""}) == 125);
  CHECK(exit_code_of(Error{ErrorCode::kNotExecutable, ""}) == 126);
  CHECK(exit_code_of(Error{ErrorCode::kNotFound, ""}) == 127);
}
