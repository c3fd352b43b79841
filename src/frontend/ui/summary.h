#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/host.h"

namespace orch::ui {

// The reason that an issue ended for, and its detail, as all of orch's outputs name them: those of
// the run's record, or "not_started" and why.
std::string_view reason_of(const host::Ended& ended);
const std::string& detail_of(const host::Ended& ended);

// A table of how several issues ended, one line each: issue, reason, exit code, turns, time.
std::string summary_table(const std::vector<host::Ended>& ended);

// The same as JSON: {"code": the combined exit code, "issues": [{issue, run, reason, code, ...}]}.
std::string summary_json(const std::vector<host::Ended>& ended);

// Writes summary_json() to <state>/summaries/<UTC time>-<4 hex>/summary.json; returns that path.
base::Result<std::string> write_summary(const std::string& state_dir,
                                        const std::vector<host::Ended>& ended);

}  // namespace orch::ui
