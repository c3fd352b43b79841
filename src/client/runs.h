#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "client/find.h"
#include "store/run_record.h"
#include "store/runs.h"
#include "store/time_text.h"

namespace orch::client {

// A run as its files tell of it, and as its host lives.
struct RunView {
  store::RunFolder folder;
  store::RunRecord record;  // its status is the one that holds now
  bool host_died = false;   // before it wrote how the run ended
};

// Which runs are looked for: all of these must hold.
struct RunFilter {
  std::string issue, agent;  // "": any
  std::optional<store::RunStatus> status;
  std::optional<store::TimePoint> since;  // that it began
  Reach reach = Reach::kHere;             // of this repository alone, or of all
  size_t most = 0;                        // the newest of them; 0: all
};

// The newest first. A folder whose record cannot be read is none.
std::vector<RunView> list_runs(const Place& place, const RunFilter& filter);

// One of them; nothing when its record cannot be read.
std::optional<RunView> view_run(const std::string& state_dir, const store::RunFolder& folder);

// "running", "completed/idle", "failed/host died"
std::string state_text(const RunView& run);

// From its start to its end, or to `now`; 0 where clocks say otherwise.
std::chrono::milliseconds duration_of(const RunView& run, store::TimePoint now);

}  // namespace orch::client
