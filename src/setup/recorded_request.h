#pragma once

#include <string>

#include "base/result.h"
#include "options/run_request.h"
#include "store/run_record.h"

namespace orch::setup {

// The request as run.json has it: with the agent, the end and the task that were found out for the
// run, and with only the names of the variables of --env.
options::RunRequest recorded_request(options::RunRequest request, const std::string& agent,
                                     const std::string& until, const std::string& task);

// The request of a record, ready to be carried out again. Changes this process's working directory
// to the one in which the request was made. An error says what is missing, and what to do.
base::Result<options::RunRequest> request_again(const store::RunRecord& record);

}  // namespace orch::setup
