#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/event.h"
#include "event/exit_reason.h"
#include "event/status.h"
#include "options/run_request.h"
#include "store/run_checks.h"

namespace orch::store {

enum class RunStatus : uint8_t { kStarting, kRunning, kCompleted, kFailed, kCancelled };
std::string_view name(RunStatus status);
std::optional<RunStatus> run_status_named(std::string_view name);
RunStatus status_after(event::ExitReason reason);  // of a run that ended so

// The calls that the policy or a person decided before they ran.
struct CheckedCalls {
  int decided = 0, denied = 0;
  int asked = 0;  // a person was asked
  bool operator==(const CheckedCalls&) const = default;
};

struct RunResult;

// How a run ended, as far as a list of runs tells it; result.json has all of it.
struct Verdict {
  event::ExitReason reason = event::ExitReason::kComplete;
  int code = 0;
  std::string detail;  // one line for a human
  int turns = 0;
  std::optional<int64_t> ms;            // how long it took; absent: an earlier orch wrote it
  std::vector<GateRun> gates;           // all that were run, without their output
  std::optional<FoundChanges> changes;  // absent: nobody asked
  std::optional<WorktreeEnd> worktree;  // absent: there was none
  std::optional<event::Usage> usage;    // absent: the agent did not tell
  bool operator==(const Verdict&) const = default;
};

// How run.json is written: greater in an orch that writes what this one would misread. A record
// without a word of it is of the first.
inline constexpr uint64_t kRunRecordFormat = 1;
// What is longer is not read, and not written. A command line may be two megabytes (execve).
inline constexpr size_t kMaxRecordBytes = 4 << 20;

// run.json: what was asked for, and what was started, where and how. Written before the agent is
// started and again when something of it changes. Times are RFC 3339, UTC, with milliseconds.
struct RunRecord {
  std::string id;
  std::string issue;
  std::string session;
  std::string agent;
  std::string agent_version;  // as its program or its own session file says it; "": not known
  // The agent's own session, as the agent calls it; "" when not known. An agent that is told to
  // empty its conversation begins another.
  std::string agent_session;
  std::vector<std::string> argv;  // as it was started
  std::string cwd;
  std::string repository;             // the root of it, else the working directory
  std::vector<std::string> folders;   // folder_chain() of cwd; empty: an earlier orch wrote it
  std::string manager;                // native, tmux, zellij
  std::string manager_reason;         // why that one
  std::optional<std::string> parent;  // the run that this one retries or continues
  std::string git_before, git_after;  // the commit that was checked out; "" outside of git
  RunStatus status = RunStatus::kStarting;
  // The process that has the run (pty::identity_text); "": an earlier orch wrote it.
  std::string host;
  std::string started;
  std::optional<std::string> ended;
  std::optional<std::string> cancelled_at;     // when somebody asked for its end
  std::optional<Verdict> verdict;              // once it has ended
  std::optional<options::RunRequest> request;  // absent: written by an orch that did not keep it
  std::optional<int64_t> keep_for_ms;          // after its end; absent: as long as orch gc is told
  bool operator==(const RunRecord&) const = default;
};

event::SessionStart head_of(const RunRecord& record);       // the first record of its events.jsonl
void conclude(RunRecord& record, const RunResult& result);  // it has ended so

// result.json: how the run ended, in the words of docs/json.md. Written once, at its end; code is
// exit_code(reason, agent_signal). Its `state`, `status` and `tokens` follow from the rest.
struct RunResult {
  std::string run;
  std::string session;
  std::string issue;
  std::string agent;
  event::ExitReason reason = event::ExitReason::kComplete;
  int code = 0;
  std::optional<int> agent_exit_code;  // absent when it was not reaped or died of a signal
  std::optional<int> agent_signal;
  event::AgentStatus status_at_end =
      event::AgentStatus::kStarting;         // "last_status": before the agent exited
  event::Cause cause = event::Cause::kNone;  // "last_cause"
  std::string detail;                        // one line for a human
  std::vector<std::string> answers;          // of orch answer, to the dialog that ended the run
  int turns = 0;
  int messages_sent = 0;
  std::string started;
  std::optional<std::string> cancelled_at;  // when somebody asked for its end
  std::string ended;
  int64_t duration_ms = 0;               // "ms"
  std::optional<int64_t> retry_after_s;  // "retry_after_ms"
  std::string evidence;                  // of life, when the terminal was silent; "" if not asked
  std::string recording;                 // path of output.cast; "" when none was made
  std::optional<CheckedCalls> calls;     // absent: calls were not checked
  int64_t invalid_bytes = 0;             // of the agent's output, not UTF-8
  struct Sandbox {
    std::vector<std::string> layers;  // namespaces, landlock, seccomp, capabilities; none: no fence
    std::string network;              // all, none, or what could be connected to
    std::vector<std::string> changed;  // files of the agent's that name programs: it changed them
    std::vector<std::string> refused;  // in the home: it wanted to read them
    bool operator==(const Sandbox&) const = default;
  };
  std::optional<Sandbox> sandbox;  // absent: nothing held the agent
  std::string snapshot;            // of the work directory before the run; "" when there is none
  std::string snapshot_note;       // what it lacks, or why there is none; ""
  std::vector<GateRun> gates;      // as they were run
  std::optional<FoundChanges> changes;
  std::optional<WorktreeEnd> worktree;
  std::optional<event::Usage> usage;
  bool operator==(const RunResult&) const = default;
};

// Indented JSON with a final line feed, for write_file. Text that is not UTF-8 becomes U+FFFD.
std::string to_json(const RunRecord& record);
std::string to_json(const RunResult& result);

// Unknown fields are ignored; a missing field or one of the wrong type is an error that names it.
base::Result<RunRecord> run_record_from_json(std::string_view text);
base::Result<RunResult> run_result_from_json(std::string_view text);

// What can be read of a run.json that is not whole, or is of another version: its words for the
// run, the issue, the agent, the folders and the start, each "" where there is none.
struct PartOfRecord {
  RunRecord record;
  uint64_t format = kRunRecordFormat;
};
PartOfRecord part_of_run_record(std::string_view text);

}  // namespace orch::store
