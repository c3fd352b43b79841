#pragma once

#include <optional>
#include <set>
#include <string>

#include "options/run_request.h"
#include "setup/diagnostics.h"

namespace orch::cli {

// The words of `orch run` that name the request.
struct JobFile {
  std::string path;                   // of --request; "": there is none
  std::optional<std::string> sha256;  // of --request-sha256: the expected hash of the content
};

// `orch run --request FILE`: carries out the request that orch submit wrote for one issue, as an
// engine's job does. `given` are the options on the command line, with their values in `line`;
// options that say what the run is are refused, because the file says it. With --artifacts each
// attempt has a folder of its own in there, and only one of them writes a verdict
// (engine/attempt.h). Returns the exit code.
int run_job(const JobFile& file, const std::set<std::string>& given,
            const options::RunRequest& line, setup::Diagnostics& diagnostics);

}  // namespace orch::cli
