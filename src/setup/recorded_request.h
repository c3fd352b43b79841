#pragma once

#include <string>

#include "base/result.h"
#include "options/run_request.h"
#include "store/run_record.h"

namespace orch::setup {

// What run.json has of a request: with what was found out since of agent, end and task, and of the
// variables of --env the names alone.
options::RunRequest recorded_request(options::RunRequest request, const std::string& agent,
                                     const std::string& until, const std::string& task);

// The request of a record, to be carried out anew: this process goes to the folder in which it was
// made. An error says what is missing for that, and what to do.
base::Result<options::RunRequest> request_again(const store::RunRecord& record);

}  // namespace orch::setup
