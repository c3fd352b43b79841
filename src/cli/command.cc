#include "cli/command.h"

namespace orch::cli {

int report_no_session(const base::Error& error) {
  const int code = report(error);
  return error.code == base::ErrorCode::kNotFound ? kNoSuchSession : code;
}

}  // namespace orch::cli
