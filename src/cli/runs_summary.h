#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "client/runs.h"
#include "report/summary.h"

namespace orch::cli {

// Gathers the rows of all runs that fit, the newest first. Changes are counted for as many runs as
// some seconds allow; the other rows say so.
base::Result<std::vector<report::SummaryRow>> summary_rows(const client::Place& place,
                                                           const client::RunFilter& filter);

// A table for people, as narrow as its contents. The agent's last words and the next command follow
// a run that has not completed; the sums follow the last row.
std::string summary_text(const std::vector<report::SummaryRow>& rows, bool in_color);

// The objects of `orch runs`, each with its `summary`.
base::Result<base::Json> summary_json(const client::Place& place, const client::RunFilter& filter);

}  // namespace orch::cli
