#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
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

// What became of reading a run's run.json.
enum class RecordState : uint8_t {
  kWhole,
  kOtherVersion,  // a later orch wrote it
  kUnreadable,    // damaged, lost, or refused by the system
  kNotBegun,      // there is none, nor anything that a run leaves once it has one
};
struct ReadRecord {
  RecordState state = RecordState::kUnreadable;
  RunRecord record;  // where it is not whole, what is known of it (part_of_run_record)
  std::string why;   // it is not whole: "run.json cannot be read: not valid JSON"
};
// Whoever looks for a run by anything but its id must not pass over one that cannot be read.
ReadRecord read_record(const RunFolder& run);

// The record of a run whose id is known; nothing when it is not whole.
std::optional<RunRecord> record_of(const RunFolder& run);
// result.json of a folder; nothing when it is missing, torn or not ours.
std::optional<RunResult> result_of(const RunFolder& run);

// Whether the folder is orch's, and none of somebody else's that has such a name: it is empty, or
// has a file in it with which a run or a summary begins.
bool is_ours(const RunFolder& folder);
// The end of a run, or its last sign of life where it was cut off or its record tells of none.
TimePoint last_sign_of(const RunFolder& run, const RunRecord& record);
// Held while somebody undoes the run, or removes it; given back with the descriptor. kUsage while
// another does.
base::Result<base::Fd> lock_run(const RunFolder& run);

// How a run stands now. Of one that has not written its end the session's file tells whether its
// host lives, as of a session that is listed; else it has failed.
RunStatus status_now(const std::string& state_dir, const RunRecord& record);

}  // namespace orch::store
