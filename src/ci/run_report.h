#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "mask/secrets.h"
#include "report/report.h"

namespace orch::ci {

// Whose report, as the user named it.
struct ReportedRun {
  std::string name;   // a recording, a run's folder, a run, an issue; "": the newest run here
  std::string agent;  // of a recording without a run; "": as it says itself
  std::optional<std::string> state_dir;
  std::shared_ptr<const mask::Secrets> secrets =
      {};  // that it must not hold, should the run's own files do
};

// A report with the word that a file of it is named by.
struct GatheredReport {
  report::Report report;
  std::string stem;  // a run's id, a recording's name
};

// All that is known of a run: what stands in its folder, and its recording played through. Of a
// recording alone it is what a replay tells, or, where nobody knows its agent, its markers.
base::Result<GatheredReport> gather_report(const ReportedRun& reported);

}  // namespace orch::ci
