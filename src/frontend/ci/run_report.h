#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "mask/secrets.h"
#include "report/report.h"

namespace orch::ci {

// The run or recording to report on, as the user named it.
struct ReportedRun {
  std::string name;  // a recording, the folder of a run, a run or an issue; "": the newest run here
  // The agent of a recording without a run; "": the agent that the recording names.
  std::string agent;
  std::optional<std::string> state_dir;
  std::shared_ptr<const mask::Secrets> secrets =
      {};  // texts to keep out of the report, even if the run's own files have them
};

// A report, and the word that its file is named after.
struct GatheredReport {
  report::Report report;
  std::string folder;  // the folder of the run; "" for a recording without one
  std::string stem;    // a run's id, or a recording's name
};

// Gathers all facts about a run: the files in its folder, and the screens of its recording. For a
// recording without a run the events come from a replay, or from the recording's markers if its
// agent is not known.
base::Result<GatheredReport> gather_report(const ReportedRun& reported);

}  // namespace orch::ci
