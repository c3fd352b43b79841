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

// A session as others see it: its file, and what its host says now.
struct SessionView {
  store::SessionRecord record;
  std::optional<wire::StatusReport> report;  // absent: errored, or the host does not answer
  // How the run of an errored session ended; absent also where its host died without a word.
  std::optional<store::RunResult> result = std::nullopt;
};

// How the session's run ended, by the files of this state directory.
std::optional<store::RunResult> result_of(const std::string& state_dir,
                                          const store::SessionRecord& session);

// All of them, each asked at once for how it stands; one that does not answer within `patience_ms`
// has no report.
std::vector<SessionView> view_sessions(const std::string& state_dir, int64_t patience_ms);

// "working", "waiting/permission"; "errored" when its host is gone, "unresponsive" when it does not
// answer.
std::string state_text(const SessionView& session);

// Why an errored session failed, in one line: "agent_failed (1): the agent exited with 3"; "" of
// every other session. Printable.
std::string failure_text(const SessionView& session);

// The limits that accounts are at now, in one line (store/account_limits.h); "": there are none.
std::string limits_text(const std::string& state_dir);

// Has a session of this repository do something; kNotFound when there is none, or it ends before
// the answer.
base::Result<wire::Answer> ask_running(const Place& place, const std::string& word,
                                       const wire::Verb& verb, int64_t deadline_ms = kAnswerMs);

}  // namespace orch::client
