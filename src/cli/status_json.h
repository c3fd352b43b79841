#pragma once

#include <string>

#include "base/json_fwd.h"
#include "wire/status_report.h"

namespace orch::cli {

// A status report as JSON, for `orch status --json` and `orch top --json`. `word` names the session
// in the commands that answer its dialog.
base::Json status_json(const wire::StatusReport& report, const std::string& word);

// The tokens that a session has used, and its limit: "12.3k/100.0k"; "?/100.0k" if the usage is not
// known, "" if neither is.
std::string spent_text(const wire::StatusReport& report);

}  // namespace orch::cli
