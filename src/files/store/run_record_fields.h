#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "event/usage.h"
#include "options/run_option.h"
#include "store/former_name.h"
#include "store/run_checks_fields.h"
#include "store/run_record.h"

// The fields of run.json and result.json; see base/json_writer.h.
namespace orch::store {

inline constexpr auto kVerdictFields = [](auto& in, auto& verdict) {
  in.word("reason", event::exit_reason_named, verdict.reason);
  in.required("code", verdict.code);
  in.required("detail", verdict.detail);
  in.required("turns", verdict.turns);
  in.nullable("ms", verdict.ms);
  in.list("gates", verdict.gates, kGateFields);
  in.object("changes", verdict.changes, kChangesFields);
  in.object("worktree", verdict.worktree, kWorktreeFields);
  in.object("usage", verdict.usage, event::kUsageFields);
};

inline constexpr auto kRunBaseFields = [](auto& in, auto& base) {
  in.nullable("branch", base.branch);
  in.nullable("remote", base.remote);
  in.nullable("url", base.url);
  in.nullable("push", base.push);
  in.nullable("push_url", base.push_url);
  in.nullable("issue_repository", base.issue_repository);
};

inline constexpr auto kRunRecordFields = [](auto& in, auto& record) {
  in.required("id", record.id);
  in.required("issue", record.issue);
  in.required("session", record.session);
  in.required("agent", record.agent);
  in.nullable("agent_version", record.agent_version);
  in.nullable("agent_session", record.agent_session);
  in.required("argv", record.argv);
  in.required("cwd", record.cwd);
  in.required("repository", record.repository);
  in.optional("folders", record.folders);
  in.required("manager", record.manager);
  in.required("manager_reason", record.manager_reason);
  in.nullable("parent", record.parent);
  in.nullable("git_before", record.git_before);
  in.nullable("git_after", record.git_after);
  in.object("base", record.base, kRunBaseFields);
  in.word("status", run_status_named, record.status);
  in.sparse("host", record.host);
  in.required("started", record.started);
  in.nullable("ended", record.ended);
  in.nullable("cancelled_at", record.cancelled_at);
  in.object("verdict", record.verdict, kVerdictFields);
  in.nullable("keep_for_ms", record.keep_for_ms);
  in.object("request", record.request, options::kRunRequestFields);
};

inline constexpr auto kSandboxFields = [](auto& in, auto& sandbox) {
  in.required("layers", sandbox.layers);
  in.required("network", sandbox.network);
  in.required("changed", sandbox.changed);
  in.sparse("refused", sandbox.refused);
  in.sparse("unreached", sandbox.unreached);
};

// Earlier versions wrote seconds, as "retry_after".
inline constexpr int64_t kMsPerSecond = 1'000;
inline void retry_after(base::JsonMembers& in, std::optional<int64_t>& seconds) {
  std::optional<int64_t> ms;
  in.nullable("retry_after", seconds);
  in.nullable("retry_after_ms", ms);
  if (ms) seconds = *ms / kMsPerSecond;
}
template <typename Writer>
void retry_after(Writer& out, const std::optional<int64_t>& seconds) {
  out.nullable("retry_after_ms", seconds ? std::optional(*seconds * kMsPerSecond) : std::nullopt);
}

inline constexpr auto kCallsFields = [](auto& in, auto& calls) {
  in.required("decided", calls.decided);
  in.required("denied", calls.denied);
  in.required("asked", calls.asked);
};

inline constexpr auto kRunResultFields = [](auto& in, auto& result) {
  in.required("run", result.run);
  in.required("issue", result.issue);
  in.required("session", result.session);
  in.required("agent", result.agent);
  derived(in, "state", std::string(name(status_after(result.reason))));
  derived(in, "status", std::string(event::name(event::AgentStatus::kExited)));
  derived(in, "cause", std::string());
  in.word("reason", event::exit_reason_named, result.reason);
  in.required("code", result.code);
  in.required("detail", result.detail);
  in.optional("answers", result.answers);
  in.required("started", result.started);
  in.required("ended", result.ended);
  in.required(name_in(in, "ms", "duration_ms"), result.duration_ms);
  in.required("turns", result.turns);
  derived(in, "tokens", result.usage ? std::optional(event::tokens(*result.usage)) : std::nullopt);
  in.object("usage", result.usage, event::kUsageFields);
  in.word(name_in(in, "last_status", "status_at_end"), event::status_named, result.status_at_end);
  in.word(name_in(in, "last_cause", "cause"), event::cause_named, result.cause);
  in.nullable("agent_exit_code", result.agent_exit_code);
  in.nullable("agent_signal", result.agent_signal);
  in.required("messages_sent", result.messages_sent);
  in.nullable("cancelled_at", result.cancelled_at);
  retry_after(in, result.retry_after_s);
  in.nullable("evidence", result.evidence);
  in.nullable("recording", result.recording);
  in.required("invalid_bytes", result.invalid_bytes);
  in.nullable("snapshot", result.snapshot);
  in.nullable("snapshot_note", result.snapshot_note);
  in.list("gates", result.gates, kGateFields);
  in.json("output", result.output);
  in.object("changes", result.changes, kChangesFields);
  in.object("worktree", result.worktree, kWorktreeFields);
  in.object("sandbox", result.sandbox, kSandboxFields);
  in.object("calls", result.calls, kCallsFields);
};

}  // namespace orch::store
