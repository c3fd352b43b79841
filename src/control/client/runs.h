#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/find.h"
#include "store/run_record.h"
#include "store/runs.h"
#include "store/time_text.h"

namespace orch::client {

// A run as its files describe it, and whether its host lives.
struct RunView {
  store::RunFolder folder;
  store::RunRecord record;  // its status is the current one
  bool host_died = false;   // before it wrote how the run ended
  // Why the record, or whether its host lives, cannot be read; "" if it was read. Otherwise
  // `record` has the run's id and issue, and other known fields; its status means nothing.
  std::string unreadable;
};

// Which runs to look for: all conditions must hold.
struct RunFilter {
  std::string issue, agent;  // "" means any
  std::optional<store::RunStatus> status;
  std::optional<store::TimePoint> since;  // the run began then or later
  Reach reach = Reach::kHere;             // only of this repository, or of all
  size_t most = 0;                        // how many, the newest first; 0 means all
};

// Calls `take` for each run that fits, the newest first, and keeps none. An error if the runs
// cannot be listed. A run whose record cannot be read is left out only if its known properties do
// not fit.
base::Status each_run(const Place& place, const RunFilter& filter,
                      const std::function<void(const RunView& run)>& take);

// Reads one run, whether or not its record can be read (`unreadable`).
RunView view_any_run(const std::string& state_dir, const store::RunFolder& folder);
// The same, but an unreadable record is an error that names the run.
base::Result<RunView> view_run(const std::string& state_dir, const store::RunFolder& folder);

// How the run stands: "running", "completed/idle", "failed/host died", "unreadable".
std::string state_text(const RunView& run);

// The time from the run's start to its end, or to `now`; 0 if a time is missing or the clocks
// disagree.
std::chrono::milliseconds duration_of(const RunView& run, store::TimePoint now);

}  // namespace orch::client
