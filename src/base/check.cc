#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace orch::base {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "orch: internal error: %s (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace orch::base
