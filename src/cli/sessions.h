#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/client.h"
#include "store/session_file.h"
#include "wire/message.h"

namespace orch::cli {

// The exit code of commands about a session that does not exist, or no longer does.
inline constexpr int kNoSuchSession = 4;

// A session as others see it: its file, and what its host says now.
struct SessionView {
  store::SessionRecord record;
  std::optional<wire::StatusReport> report;  // absent: errored, or the host does not answer
};

// All of them, each asked at once for how it stands; one that does not answer within `patience_ms`
// has no report.
std::vector<SessionView> view_sessions(const std::string& state_dir, int64_t patience_ms);

// The session that a user's word means: an issue, a session's name ("orch-42") or its key
// ("orch-42@1a2b3c4d"). Of several repositories' the one of this folder's. kNotFound when there is
// none, kUsage when it may be several, which are named.
base::Result<store::SessionRecord> find_session(const std::string& state_dir,
                                                const std::string& word);

// The same, but one whose host is gone is kNotFound, too.
base::Result<store::SessionRecord> find_running(const std::string& state_dir,
                                                const std::string& word);
// One question to it; kNotFound, too, when it ends before the answer.
base::Result<wire::Answer> ask_running(const std::string& state_dir, const std::string& word,
                                       const wire::Verb& verb,
                                       int64_t deadline_ms = host::kAnswerMs);
// Reports the error of these; kNotFound is kNoSuchSession.
int report_no_session(const base::Error& error);

// "working", "waiting/permission"; "errored" when its host is gone, "unresponsive" when it does not
// answer.
std::string state_text(const SessionView& session);

}  // namespace orch::cli
