#pragma once

#include <string>

#include "base/json_fwd.h"
#include "wire/status_report.h"

namespace orch::cli {

// How a session stands, as `orch status --json` and `orch top --json` tell it. `word` is what names
// the session in the commands that answer its dialog.
base::Json status_json(const wire::StatusReport& report, const std::string& word);

}  // namespace orch::cli
