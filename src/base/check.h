#pragma once

// Checks an invariant: a violation is a bug, so ORCH_CHECK prints the expression with its place and
// aborts, in release builds too. Never use it for conditions that a user, a peer or the system can
// cause; return a Result for those.
#define ORCH_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::orch::base::check_failed(#condition, __FILE__, __LINE__))

namespace orch::base {

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace orch::base
