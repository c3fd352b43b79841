#include "cli/command.h"

#include <cstdio>

#include "base/text.h"

namespace orch::cli {

int exit_code_of(const base::Error& error) {
  switch (error.code) {
    case base::ErrorCode::kUsage:
      return 2;
    case base::ErrorCode::kNotFound:
      return 127;
    case base::ErrorCode::kNotExecutable:
      return 126;
    case base::ErrorCode::kSystem:
      return 125;
  }
  return 125;
}

int report(const base::Error& error) {
  std::fprintf(stderr, "orch: %s\n", base::printable(error.text).c_str());
  return exit_code_of(error);
}

}  // namespace orch::cli
