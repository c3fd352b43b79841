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
RunStatus status_after(event::ExitReason reason);  // the status after that end

// The calls that the policy or the user decided before they ran.
struct CheckedCalls {
  int decided = 0, denied = 0;
  int asked = 0;  // left to the user
  bool operator==(const CheckedCalls&) const = default;
};

struct RunResult;

// How a run ended, in the detail that a list of runs shows; result.json has all of it.
struct Verdict {
  event::ExitReason reason = event::ExitReason::kComplete;
  int code = 0;
  std::string detail;  // one line for a human
  int turns = 0;
  std::optional<int64_t> ms;            // duration; absent: an earlier orch wrote it
  std::vector<GateRun> gates;           // all gates that ran, without their output
  std::optional<FoundChanges> changes;  // absent: nobody asked
  std::optional<WorktreeEnd> worktree;  // absent: there was none
  std::optional<event::Usage> usage;    // absent: the agent did not report it
  bool operator==(const Verdict&) const = default;
};

// What a run's worktree was begun from: where its work is to land. Read before the agent started.
struct RunBase {
  std::string branch;            // that was checked out in the user's folder; "" if none was
  std::string remote, url;       // the project's remote; ""
  std::string push, push_url;    // where branches are pushed to; ""
  std::string issue_repository;  // "host/owner/name", if the issue's text is from there
  bool operator==(const RunBase&) const = default;
};

// The format of run.json. An orch that writes records which this one would misread has a greater
// number. A record without this field has the first format.
inline constexpr uint64_t kRunRecordFormat = 1;
// A longer record is neither read nor written. A command line may be two megabytes (execve).
inline constexpr size_t kMaxRecordBytes = 4 << 20;

// run.json: the request, and what was started, where and how. Written before the agent is started
// and again when something in it changes. Times are RFC 3339, UTC, with milliseconds.
struct RunRecord {
  std::string id;
  std::string issue;
  std::string session;
  std::string agent;
  std::string agent_version;  // according to its program or its own session file; "": not known
  // The agent's own session, under the agent's name for it; "" when not known. An agent that is
  // asked to empty its conversation begins another.
  std::string agent_session;
  std::vector<std::string> argv;  // as it was started
  std::string cwd;
  std::string repository;             // its root, otherwise the working directory
  std::vector<std::string> folders;   // folder_chain() of cwd; empty: an earlier orch wrote it
  std::string manager;                // native, tmux, zellij
  std::string manager_reason;         // why that one
  std::optional<std::string> parent;  // the run that this one retries or continues
  std::string git_before, git_after;  // the commit that was checked out; "" outside of git
  std::optional<RunBase> base;        // absent: the run had no worktree of its own
  RunStatus status = RunStatus::kStarting;
  // The process that has the run (pty::identity_text); "": an earlier orch wrote it.
  std::string host;
  std::string started;
  std::optional<std::string> ended;
  std::optional<std::string> cancelled_at;     // when somebody asked for its end
  std::optional<Verdict> verdict;              // once it has ended
  std::optional<options::RunRequest> request;  // absent: written by an orch that did not keep it
  std::optional<int64_t> keep_for_ms;          // after its end; absent: gc's --older-than
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
    std::string network;              // all, none, or the destinations that could be connected to
    std::vector<std::string> changed;  // changed files of the agent's that name programs
    std::vector<std::string> refused;  // files in the home that it tried to read, or to log in with
    std::vector<std::string> unreached;  // hosts that it did not reach, by the fence's network
    bool operator==(const Sandbox&) const = default;
  };
  std::optional<Sandbox> sandbox;  // absent: no sandbox
  std::string snapshot;            // of the work directory before the run; "" without one
  std::string snapshot_note;       // gaps in the snapshot, or why none was taken
  std::vector<GateRun> gates;      // in the order of their runs
  std::string output;              // --output-schema's value, as JSON on one line; "" without one
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

// The readable part of a run.json that is not whole, or is of another version: its words for the
// run, the issue, the agent, the folders and the start, each "" if missing.
struct PartOfRecord {
  RunRecord record;
  uint64_t format = kRunRecordFormat;
};
PartOfRecord part_of_run_record(std::string_view text);

}  // namespace orch::store
