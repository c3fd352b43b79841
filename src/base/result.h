#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace orch::base {

// A failure that the system or the user has caused. The code says what kind of remedy is needed,
// and so which exit code the command line gives it. The text names the attempt and its object in
// one line, without a full stop: "spawn codex: chdir /x: No such file or directory".
enum class ErrorCode {
  kUsage,          // the user's arguments or configuration; exit 2
  kNotFound,       // a program that does not exist; exit 127
  kNotExecutable,  // a program that may not be executed; exit 126
  kSystem,         // anything else that the operating system has refused; exit 125
  kShortage,  // too few descriptors or processes, or too little memory: may succeed later; exit 125
};

struct Error {
  ErrorCode code = ErrorCode::kSystem;
  std::string text;
};

// An Error with code kSystem, or kShortage if the errno says so: "<what>: <strerror(errno_value)>".
Error system_error(std::string what, int errno_value);
inline Error usage_error(std::string text) { return {ErrorCode::kUsage, std::move(text)}; }

// Either a value or the Error that prevented it. Errors are returned, never thrown, and reported
// once, where they are handled.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(*-explicit-*)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    ORCH_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    ORCH_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    ORCH_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  const Error& error() const {
    ORCH_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

// For operations without a result: `return Ok{};` or an Error.
struct Ok {};
using Status = Result<Ok>;

}  // namespace orch::base
