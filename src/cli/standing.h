#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "client/find.h"
#include "client/runs.h"
#include "client/sessions.h"
#include "event/status.h"
#include "event/usage.h"
#include "store/run_record.h"
#include "store/session_file.h"
#include "wire/status_report.h"

// Sessions and runs as JSON. Every command takes the names from here, so that the same run has the
// same words everywhere; docs/json.md explains them.
namespace orch::cli {

// The state of a run, or how it ended; a session that waits for its turn has no run yet. Unknown
// fields are "" or absent.
struct RunStanding {
  std::string run, issue, session, key, agent;
  std::optional<store::RunStatus> state;
  std::optional<event::AgentStatus> status;
  event::Cause cause = event::Cause::kNone;
  std::optional<event::ExitReason>
      reason;  // absent until the run has ended, as code and detail are
  std::optional<int> code;
  std::optional<std::string> detail;
  std::string started, ended;
  std::optional<int64_t> ms;
  std::optional<int> turns;
  std::optional<event::Usage> usage;
  std::string manager, repository, cwd, run_dir;
  std::string unreadable;  // why its record cannot be read; "" if it can be
};

RunStanding standing_of(const client::RunView& run);
// For a session that runs, as its host reports it; for any other, according to the files of its
// run.
RunStanding standing_of(const std::string& state_dir, const client::SessionView& session);
// For a run, with the status report of its host, which counts only while the run goes on.
RunStanding standing_of(const client::RunView& run, const wire::StatusReport& report);
// For a run by its folder, whether or not its record can be read.
RunStanding standing_of(const std::string& state_dir, const store::RunFolder& run);

// The session's identity: the first fields of the verbs' output (send, keys, reset, ...).
base::Json identity_json(const store::SessionRecord& session);

// The fields that all of a run's objects have.
base::Json standing_json(const RunStanding& standing);

// The object of `orch sessions`, `top`, `status` and `crew status`.
base::Json session_json(const client::SessionView& session, const client::Place& place);
// The same for a run whose session is over and gone.
base::Json session_json(const RunStanding& ended);

// The object of `orch runs` and, with more fields, of `orch show`.
base::Json run_json(const client::RunView& run);

// The tokens that a session has used, and its limit: "12.3k/100.0k"; "?/100.0k" if the usage is not
// known, "" if neither is.
std::string spent_text(const wire::StatusReport& report);

}  // namespace orch::cli
