#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "store/found.h"
#include "store/run_record.h"
#include "store/time_text.h"

namespace orch::store {

// The run folders of a state directory, oldest first. Their names are <time>-<issue>-<4 hex
// digits>. The time has milliseconds, and a run that began later has a later time (RunDir::create).
// Older versions of orch wrote seconds only; their names sort before all others of the same second.
struct RunFolder {
  std::string path;
  std::string id;
  std::string issue;
};
// An error if the folder of all runs cannot be listed; none if it does not exist.
base::Result<std::vector<RunFolder>> run_folders(const std::string& state_dir);
TimePoint time_in_name(const RunFolder& run);
// The folders of the summaries that `orch run` leaves for several issues. Named like runs; the
// issue is "summary".
base::Result<std::vector<RunFolder>> summary_folders(const std::string& state_dir);

// The result of reading a run's run.json.
enum class RecordState : uint8_t {
  kWhole,
  kOtherVersion,  // a later version of orch wrote it
  kUnreadable,    // damaged, lost, or refused by the system; or its result.json is
  kNotBegun,      // it does not exist, and neither does any later file of the run
};
struct ReadRecord {
  RecordState state = RecordState::kUnreadable;
  RunRecord record;  // if it is not kWhole, the known part (part_of_run_record)
  std::string why;   // why it is not kWhole: "run.json cannot be read: not valid JSON"
  // kUnreadable: the system has refused to read it, so that it may be whole (state_file.h).
  bool is_refused = false;
};
// For callers that look for a run by something else than its id: they must not pass over unreadable
// records.
ReadRecord read_record(const RunFolder& run);

// The record of a run whose id is known; absent if it is kNotBegun, unknown if it is not kWhole
// either.
Found<RunRecord> record_of(const RunFolder& run);
// The result.json of a folder; unknown if it cannot be read, is damaged or not orch's.
Found<RunResult> result_of(const RunFolder& run);

// Whether the folder is orch's, and not somebody else's with a similar name: it is empty, or has a
// file that a run or a summary begins with.
Presence sign_of_orch(const RunFolder& folder);
// The time of the run's end, or of its last sign of life if it was cut off or its record has no
// end. Absent if the folder is gone.
Found<TimePoint> last_sign_of(const RunFolder& run, const RunRecord& record);
// The prefix that a folder gets before it is removed. If the removal is cut off, the folder is then
// neither a run nor a run that cannot be read; orch gc removes it.
inline constexpr std::string_view kGone = ".gone-";
// Removes the folder of a run that is over.
base::Status remove_run_folder(const RunFolder& run);
// The lock of a run while somebody undoes or removes it, until the descriptor is closed. kUsage
// while somebody else holds it.
base::Result<base::Fd> lock_run(const RunFolder& run);

// Whether the record of a run names a host in another machine or container whose end cannot be
// known here, because the disk may not show its lock.
bool may_be_elsewhere(const std::string& state_dir, const RunRecord& record);
// The present status of a run. If the record has no end, the session's file decides whether the
// host lives; if it does not, the run has failed. An error if that cannot be read.
base::Result<RunStatus> status_now(const std::string& state_dir, const RunRecord& record);

}  // namespace orch::store
