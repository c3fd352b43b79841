#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/client.h"
#include "client/find.h"
#include "store/run_record.h"
#include "store/session_file.h"
#include "wire/message.h"

namespace orch::client {

// A session as others see it: its file, and the status that its host reports.
struct SessionView {
  store::SessionRecord record;
  // Absent if the session has failed or its host does not answer.
  std::optional<wire::StatusReport> report;
  // How the run of a failed session ended; absent also if its host died without writing a result.
  std::optional<store::RunResult> result = std::nullopt;
  std::string unreadable_result = {};  // why the result cannot be read; "": it can, or is not there
};

// How the session's run ended, according to the files of this state directory.
store::Found<store::RunResult> result_of(const std::string& state_dir,
                                         const store::SessionRecord& session);

// Reads how the run of a failed session ended into the view.
void take_result(const std::string& state_dir, SessionView& view);

// All sessions of the state directory. They are all asked for their status at the same time; a
// session that does not answer within `patience_ms` has no report.
base::Result<std::vector<SessionView>> view_sessions(const std::string& state_dir,
                                                     int64_t patience_ms);

// How the session stands: "working", "waiting/permission"; "errored" if its host is gone,
// "unresponsive" if its host does not answer.
std::string state_text(const SessionView& session);

// Why a failed session failed, or why one cannot be read, in one line: "agent_failed (1): the agent
// exited with 3"; "" for every other session. Printable.
std::string failure_text(const SessionView& session);

// The limits that accounts are at now, in one line (store/account_limits.h); "" if there are none.
std::string limits_text(const std::string& state_dir);

// Sends a request to a session of this repository; kNotFound if there is none, or if it ends before
// it answers.
struct Answered {
  store::SessionRecord session;
  wire::Answer answer;
};
base::Result<Answered> ask_running(const Place& place, const std::string& word,
                                   const wire::Verb& verb, int64_t deadline_ms = kAnswerMs);

}  // namespace orch::client
