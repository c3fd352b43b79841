#include "base/result.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <memory>
#include <string>

using namespace orch::base;

TEST_CASE("a Result holds its value") {
  Result<std::string> result = std::string("seven");
  REQUIRE(result.ok());
  CHECK(static_cast<bool>(result));
  CHECK(*result == "seven");
  CHECK(result->size() == 5);
  *result += "teen";
  CHECK(std::move(result).value() == "seventeen");
}

TEST_CASE("a Result holds the error that prevented its value") {
  const Result<int> result = usage_error("no such agent");
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == ErrorCode::kUsage);
  CHECK(result.error().text == "no such agent");
}

TEST_CASE("a Result of an Error's own text type does not mistake one for the other") {
  CHECK(Result<std::string>(std::string("text")).ok());
  CHECK_FALSE(Result<std::string>(Error{ErrorCode::kSystem, "text"}).ok());
}

TEST_CASE("a Result carries values that only move") {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> value = std::move(result).value();
  REQUIRE(value);
  CHECK(*value == 7);
}

TEST_CASE("Status is Ok or an Error") {
  CHECK(Status(Ok{}).ok());
  CHECK_FALSE(Status(usage_error("wrong")).ok());
}

TEST_CASE("a system error says what was tried and why it failed") {
  const Error error = system_error("chdir /x", ENOENT);
  CHECK(error.code == ErrorCode::kSystem);
  CHECK(error.text == "chdir /x: No such file or directory");
}
