#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "engine/jobs.h"
#include "ui/color.h"

namespace orch::cli {

// The jobs of a submission as JSON: objects of docs/schemas/jobs.schema.json.
base::Json jobs_json(const std::vector<engine::Job>& jobs);
// The same as a table for people.
std::string jobs_table(const std::vector<engine::Job>& jobs, bool in_color);

base::Json submission_json(const engine::FoundSubmission& found);

// The combined exit code of all jobs that are over, as of `orch run` with several issues.
int code_of(const std::vector<engine::Job>& jobs);
size_t count_open(const std::vector<engine::Job>& jobs);  // how many are not over

}  // namespace orch::cli
