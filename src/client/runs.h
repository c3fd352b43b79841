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

// A run as its files tell of it, and as its host lives.
struct RunView {
  store::RunFolder folder;
  store::RunRecord record;  // its status is the one that holds now
  bool host_died = false;   // before it wrote how the run ended
  // Why the record cannot be read; "": it was. Else `record` has the run's id and issue, and what
  // else is known; its status means nothing.
  std::string unreadable;
};

// Which runs are looked for: all of these must hold.
struct RunFilter {
  std::string issue, agent;  // "": any
  std::optional<store::RunStatus> status;
  std::optional<store::TimePoint> since;  // that it began
  Reach reach = Reach::kHere;             // of this repository alone, or of all
  size_t most = 0;                        // the newest of them; 0: all
};

// Hands them over, the newest first; none is kept. One whose record cannot be read is left out only
// where what is known of it says that it is not looked for.
void each_run(const Place& place, const RunFilter& filter,
              const std::function<void(const RunView& run)>& take);

// One of them; an error that names it when its record cannot be read.
base::Result<RunView> view_run(const std::string& state_dir, const store::RunFolder& folder);

// "running", "completed/idle", "failed/host died", "unreadable"
std::string state_text(const RunView& run);

// From its start to its end, or to `now`; 0 where clocks say otherwise.
std::chrono::milliseconds duration_of(const RunView& run, store::TimePoint now);

}  // namespace orch::client
