#pragma once

#include <cstdint>
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

// The files of a run's folder, which are written while the run lasts. None of them contains a
// secret of the setup. Each call returns the first write that failed. No call waits for the disk:
// files that have to be synced are returned as an order for a DiskJob. Times are milliseconds since
// the run began.
class RunFiles {
 public:
  // Writes prompt.md, run.json (starting) and the user's manifest, and opens the other files.
  // `setup` outlives this.
  static base::Result<RunFiles> open(store::RunDir dir, const SessionSetup& setup,
                                     store::TimePoint started);

  event::SessionStart head() const;  // the first record of events.jsonl
  void note_head();                  // notes which commit is checked out now as the one at the end
  const std::string& git_before() const { return record_.git_before; }
  MaskedRecording& recording() { return *recording_; }
  const MaskedRecording& recording() const { return *recording_; }
  DiskJob::Order running();  // the order that makes run.json say that the run is running
  // Notes the id of the agent's own session, and its version if known. Returns whether run.json has
  // to be written for that.
  bool take_agent_session(const std::string& id, const std::string& version);
  // The same for a version that the agent's program has given, unless one is known.
  bool take_agent_version(const std::string& version);
  base::Status event(std::string_view json) { return events_.append(json); }
  // Adds a line of the agent's words to the transcript, and its record to the event log, each up to
  // the limit of the recording's size. flush_words() has to follow.
  base::Status words(const event::Output& line, std::string_view json);
  base::Status flush_words();
  // The order that ends all files; no writes follow it. It writes result.json and run.json, and if
  // the run has failed, the last screen.
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
  std::optional<MaskedRecording> recording_;   // always there after open()
};

}  // namespace orch::session
