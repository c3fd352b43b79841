#pragma once

#include <string>

#include "base/result.h"
#include "options/run_request.h"
#include "store/run_record.h"

namespace orch::setup {

// The request for run.json: with the agent, the end and the task that were determined for the run,
// and with only the names of the variables of --env.
options::RunRequest recorded_request(options::RunRequest request, const std::string& agent,
                                     const std::string& until, const std::string& task);

// The origin of a request, for errors.
struct RequestOf {
  std::string what;   // "run 20261121T225100123-42-0a1b"
  std::string again;  // the command that carries it out: "orch retry 42"
};
// Prepares this process to carry out a recorded request: checks that it has the variables of --env,
// and goes to the folder that relative paths refer to ("": it stays).
base::Status take_place_of(const options::RunRequest& request, const RequestOf& of);

// The request of a record, ready to be carried out again. Changes this process's working directory
// to that of the original request. An error says what is missing, and what to do.
base::Result<options::RunRequest> request_again(const store::RunRecord& record);

}  // namespace orch::setup
