#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/result.h"

namespace orch::store {

// The result of reading orch's own state. A file that cannot be read is not missing, so there are
// three results: present; absent, if the system has said so (ENOENT or ENOTDIR); or unknown, with
// an Error that names the file. Code that deletes, cuts, replaces, or reports that something is
// gone asks is_absent(). There is no conversion to bool, which would make two answers of the three.
template <typename T>
class [[nodiscard]] Found {
 public:
  Found(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(*-explicit-*)
  Found(base::Error why) : state_(std::in_place_index<2>, std::move(why)) {}  // NOLINT
  static Found absent() { return Found(); }

  bool is_present() const { return state_.index() == 0; }
  bool is_absent() const { return state_.index() == 1; }
  bool is_unknown() const { return state_.index() == 2; }

  T& value() & {
    ORCH_CHECK(is_present());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    ORCH_CHECK(is_present());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    ORCH_CHECK(is_present());
    return std::move(*std::get_if<0>(&state_));
  }
  const base::Error& error() const {
    ORCH_CHECK(is_unknown());
    return *std::get_if<2>(&state_);
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // For callers that treat absent and unknown alike, because they only show the value if there is
  // one.
  std::optional<T> if_present() && {
    return is_present() ? std::optional<T>(std::move(*this).value()) : std::nullopt;
  }

 private:
  struct Absent {};
  Found() : state_(std::in_place_index<1>) {}

  std::variant<T, Absent, base::Error> state_;
};

// Whether something is there, without its content.
using Presence = Found<base::Ok>;

}  // namespace orch::store
