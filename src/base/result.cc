#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace orch::base {

namespace {

bool is_shortage(int errno_value) {
  return errno_value == EMFILE || errno_value == ENFILE || errno_value == ENOMEM;
}

}  // namespace

Error system_error(std::string what, int errno_value) {
  return {is_shortage(errno_value) ? ErrorCode::kShortage : ErrorCode::kSystem,
          std::move(what) + ": " + std::generic_category().message(errno_value)};
}

}  // namespace orch::base
