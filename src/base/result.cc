#include "base/result.h"

#include <system_error>

namespace orch::base {

Error system_error(std::string what, int errno_value) {
  return {ErrorCode::kSystem,
          std::move(what) + ": " + std::generic_category().message(errno_value)};
}

}  // namespace orch::base
