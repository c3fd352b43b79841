#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/run_record.h"
#include "store/time_text.h"

namespace orch::store {

// The run folders of a state directory, oldest first: names are <time>-<issue>-<4 hex>. The time
// has milliseconds, and of a run that began later a greater one (RunDir::create). In names that an
// earlier orch gave it has seconds alone; they sort before all others of that second.
struct RunFolder {
  std::string path;
  std::string id;
  std::string issue;
};
std::vector<RunFolder> run_folders(const std::string& state_dir);
TimePoint time_in_name(const RunFolder& run);
// What `orch run` of several issues has left, named likewise: there the issue is "summary".
std::vector<RunFolder> summary_folders(const std::string& state_dir);

// run.json and result.json of a folder; nothing when it is missing, torn or not ours.
std::optional<RunRecord> record_of(const RunFolder& run);
std::optional<RunResult> result_of(const RunFolder& run);

// How a run stands now. Of one that has not written its end the session's file tells whether its
// host lives, as of a session that is listed; else it has failed.
RunStatus status_now(const std::string& state_dir, const RunRecord& record);

}  // namespace orch::store
