#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "event/event.h"
#include "session/disk_job.h"
#include "session/masked_recording.h"
#include "session/session_setup.h"
#include "store/cast_writer.h"
#include "store/event_log.h"
#include "store/run_dir.h"
#include "store/run_record.h"
#include "store/time_text.h"

namespace orch::session {

// What a run leaves on disk, written while it lasts. No file of it holds a secret of the setup's.
// Every call returns the first failure of a write. None waits for the disk: what has to be on it is
// told as an order for a DiskJob. Times are the run's milliseconds.
class RunFiles {
 public:
  // Writes prompt.md and run.json (starting) and opens the others. `setup` outlives this.
  static base::Result<RunFiles> open(store::RunDir dir, const SessionSetup& setup,
                                     store::TimePoint started);

  event::SessionStart head() const;  // the first record of events.jsonl
  void note_head();                  // what is checked out now is what is checked out in the end
  const std::string& git_before() const { return record_.git_before; }
  MaskedRecording& recording() { return *recording_; }
  const MaskedRecording& recording() const { return *recording_; }
  DiskJob::Order running();  // run.json says so
  // The agent's own session, and its version where that is known; whether that is news for
  // run.json.
  bool take_agent_session(const std::string& id, const std::string& version);
  base::Status event(std::string_view json) { return events_.append(json); }
  // A line of the agent's words and its record; up to the record's limit. Then flush_words().
  base::Status words(const event::Output& line, std::string_view json);
  base::Status flush_words();
  // The end of all files, of which nothing is written any more: result.json and run.json, and of a
  // run that failed what stood on its screen.
  DiskJob::Order ended(const store::RunResult& result, const std::string& screen);

  const store::RunDir& dir() const { return dir_; }
  uint64_t events_size() const { return events_.size(); }

 private:
  RunFiles(store::RunDir dir, const SessionSetup& setup, store::TimePoint started,
           store::EventLog events);
  base::Status open_words();
  DiskJob::Written record();

  store::RunDir dir_;
  const SessionSetup* setup_;
  store::TimePoint started_;
  store::EventLog events_;
  store::RunRecord record_;
  std::optional<store::EventLog> transcript_;  // absent: no words are kept
  std::optional<MaskedRecording> recording_;   // always there once opened
};

}  // namespace orch::session
