#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acp/server.h"
#include "base/result.h"
#include "client/find.h"
#include "store/run_record.h"

// The sessions of orch acp among the records of runs. Each is a conversation: the runs of one
// issue, which is called acp-1, acp-2, ...
namespace orch::cli {

bool is_acp_issue(std::string_view issue);
std::string acp_issue_of(const std::string& key);  // "acp-3" of "orch-acp-3@1a2b3c4d"
// The next issue that no session and no run has; `last` is the number of the last one that this
// returned. Others may take it at the same time.
std::string next_acp_issue(const std::string& state_dir, int64_t& last);

// The newest sessions in `cwd`, or everywhere if that is "".
base::Result<std::vector<acp::Listed>> acp_sessions(const client::Place& place,
                                                    const std::string& cwd);
// Whether an agent may have a conversation to go on with after this run: it begins one in its first
// turn.
bool has_conversation(const store::RunRecord& record);
// events.jsonl of the runs of a conversation, the oldest first. `record` is of its newest run,
// which is one of them if `with_last`.
std::vector<std::string> acp_history(const std::string& state_dir, store::RunRecord record,
                                     bool with_last);
// Removes all runs of a session that has ended.
base::Status remove_acp_session(const client::Place& place, const std::string& session);
base::Error no_acp_session();

}  // namespace orch::cli
