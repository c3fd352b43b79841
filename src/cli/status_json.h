#pragma once

#include <string>

#include "base/json_fwd.h"
#include "wire/status_report.h"

namespace orch::cli {

// How a session stands, as `orch status --json` and `orch top --json` tell it. `word` is what names
// the session in the commands that answer its dialog.
base::Json status_json(const wire::StatusReport& report, const std::string& word);

// The tokens that a session has taken, and may take: "12.3k/100.0k", "?/100.0k" where they are not
// told, "" where there is nothing to tell.
std::string spent_text(const wire::StatusReport& report);

}  // namespace orch::cli
