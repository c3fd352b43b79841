#include "store/run_record.h"

#include <utility>

#include "base/json.h"
#include "base/json_members.h"
#include "base/text.h"
#include "base/words.h"
#include "store/path_text.h"
#include "store/run_checks_json.h"
#include "store/run_request_json.h"

namespace orch::store {
namespace {

constexpr base::Words<RunStatus, 5> kStatuses{{
    {RunStatus::kStarting, "starting"},
    {RunStatus::kRunning, "running"},
    {RunStatus::kCompleted, "completed"},
    {RunStatus::kFailed, "failed"},
    {RunStatus::kCancelled, "cancelled"},
}};

base::Json json_of(const std::optional<Verdict>& verdict) {
  if (!verdict) return nullptr;
  return {{"reason", event::name(verdict->reason)},
          {"code", verdict->code},
          {"detail", verdict->detail},
          {"turns", verdict->turns},
          {"gates", json_of(verdict->gates)},
          {"changes", json_of(verdict->changes)},
          {"worktree", json_of(verdict->worktree)},
          {"usage", event::json_of(verdict->usage)}};
}

void read_verdict(base::JsonMembers& parent, std::optional<Verdict>& verdict) {
  const base::Json* json = parent.find("verdict");
  if (json == nullptr) return;
  base::JsonMembers in(parent, *json, "verdict");
  verdict.emplace();
  in.word("reason", event::exit_reason_named, verdict->reason);
  in.required("code", verdict->code);
  in.required("detail", verdict->detail);
  in.required("turns", verdict->turns);
  read_gates(in, verdict->gates);
  read_changes(in, verdict->changes);
  read_worktree(in, verdict->worktree);
  event::read_usage(in, verdict->usage);
}

// What names and describes a run is told to people as it stands, and whoever changes the file may
// put control sequences of a terminal into it. Paths and commands are not touched here: they are
// used as they are, and who tells them makes them printable.
void make_printable(RunRecord& record) {
  for (std::string* text :
       {&record.id, &record.issue, &record.session, &record.agent, &record.agent_version,
        &record.agent_session, &record.manager, &record.manager_reason, &record.git_before,
        &record.git_after, &record.started}) {
    *text = base::printable(*text);
  }
  for (std::optional<std::string>* text : {&record.parent, &record.ended, &record.cancelled_at}) {
    if (*text) **text = base::printable(**text);
  }
  if (record.verdict) record.verdict->detail = base::printable_lines(record.verdict->detail);
}

}  // namespace

std::string_view name(RunStatus status) { return base::word_of(kStatuses, status); }

std::optional<RunStatus> run_status_named(std::string_view name) {
  return base::value_of(kStatuses, name);
}

RunStatus status_after(event::ExitReason reason) {
  using event::ExitReason;
  if (event::exit_code(reason) == 0) return RunStatus::kCompleted;
  const bool cancelled = reason == ExitReason::kInterrupted || reason == ExitReason::kTerminated ||
                         reason == ExitReason::kKilled;
  return cancelled ? RunStatus::kCancelled : RunStatus::kFailed;
}

event::SessionStart head_of(const RunRecord& record) {
  return {.session = record.session,
          .run = record.id,
          .issue = record.issue,
          .agent = record.agent,
          .started = record.started};
}

void conclude(RunRecord& record, const RunResult& result) {
  record.status = status_after(result.reason);
  record.ended = result.ended;
  if (record.status == RunStatus::kCancelled) record.cancelled_at = result.cancelled_at;
  record.verdict = Verdict{.reason = result.reason,
                           .code = result.code,
                           .detail = result.detail,
                           .turns = result.turns,
                           .gates = result.gates,
                           .changes = result.changes,
                           .worktree = result.worktree,
                           .usage = result.usage};
  for (GateRun& gate : record.verdict->gates) gate.output.clear();
}

std::string to_json(const RunRecord& record) {
  base::Json json;
  json["format"] = kRunRecordFormat;
  json["id"] = record.id;
  json["issue"] = record.issue;
  json["session"] = record.session;
  json["agent"] = record.agent;
  json["agent_version"] = base::or_null(record.agent_version);
  json["agent_session"] = base::or_null(record.agent_session);
  json["argv"] = record.argv;
  json["cwd"] = path_to_text(record.cwd);
  json["repository"] = path_to_text(record.repository);
  json["manager"] = record.manager;
  json["manager_reason"] = record.manager_reason;
  json["parent"] = base::or_null(record.parent);
  json["git_before"] = base::or_null(record.git_before);
  json["git_after"] = base::or_null(record.git_after);
  json["status"] = name(record.status);
  json["started"] = record.started;
  json["ended"] = base::or_null(record.ended);
  json["cancelled_at"] = base::or_null(record.cancelled_at);
  json["verdict"] = json_of(record.verdict);
  json["keep_for_ms"] = base::or_null(record.keep_for_ms);
  json["request"] = record.request ? json_of(*record.request) : base::Json(nullptr);
  return base::json_text(json);
}

std::string to_json(const RunResult& result) {
  base::Json json;
  json["run"] = result.run;
  json["session"] = result.session;
  json["issue"] = result.issue;
  json["agent"] = result.agent;
  json["reason"] = event::name(result.reason);
  json["code"] = result.code;
  json["agent_exit_code"] = base::or_null(result.agent_exit_code);
  json["agent_signal"] = base::or_null(result.agent_signal);
  json["status_at_end"] = event::name(result.status_at_end);
  json["cause"] = base::or_null(event::name(result.cause));
  json["detail"] = result.detail;
  json["turns"] = result.turns;
  json["messages_sent"] = result.messages_sent;
  json["started"] = result.started;
  json["cancelled_at"] = base::or_null(result.cancelled_at);
  json["ended"] = result.ended;
  json["duration_ms"] = result.duration_ms;
  json["retry_after"] = base::or_null(result.retry_after_s);
  json["evidence"] = base::or_null(result.evidence);
  json["recording"] = base::or_null(result.recording);
  json["invalid_bytes"] = result.invalid_bytes;
  json["snapshot"] = base::or_null(result.snapshot);
  json["snapshot_note"] = base::or_null(result.snapshot_note);
  json["gates"] = json_of(result.gates);
  json["changes"] = json_of(result.changes);
  json["worktree"] = json_of(result.worktree);
  json["usage"] = event::json_of(result.usage);
  json["sandbox"] = nullptr;
  if (result.sandbox) {
    json["sandbox"] = {{"layers", result.sandbox->layers},
                       {"network", result.sandbox->network},
                       {"changed", result.sandbox->changed}};
  }
  return base::json_text(json);
}

base::Result<RunRecord> run_record_from_json(std::string_view text) {
  base::JsonDocument document("run record", text);
  base::JsonMembers fields(document);
  RunRecord record;
  uint64_t format = kRunRecordFormat;
  fields.optional("format", format);
  if (format > kRunRecordFormat) fields.fail("format", "is a later orch's");
  fields.required("id", record.id);
  fields.required("issue", record.issue);
  fields.required("session", record.session);
  fields.required("agent", record.agent);
  fields.optional("agent_version", record.agent_version);
  fields.optional("agent_session", record.agent_session);
  fields.required("argv", record.argv);
  fields.required("cwd", record.cwd);
  fields.required("repository", record.repository);
  for (std::string* path : {&record.cwd, &record.repository}) *path = path_from_text(*path);
  fields.required("manager", record.manager);
  fields.required("manager_reason", record.manager_reason);
  fields.optional("parent", record.parent);
  fields.optional("git_before", record.git_before);
  fields.optional("git_after", record.git_after);
  fields.word("status", run_status_named, record.status);
  fields.required("started", record.started);
  fields.optional("ended", record.ended);
  fields.optional("cancelled_at", record.cancelled_at);
  read_verdict(fields, record.verdict);
  fields.optional("keep_for_ms", record.keep_for_ms);
  if (const base::Json* json = fields.find("request")) {
    base::JsonMembers request(fields, *json, "request");
    read_request(request, record.request.emplace());
  }
  make_printable(record);
  return document.finish(std::move(record));
}

base::Result<RunResult> run_result_from_json(std::string_view text) {
  base::JsonDocument document("run result", text);
  base::JsonMembers fields(document);
  RunResult result;
  fields.required("run", result.run);
  fields.required("session", result.session);
  fields.required("issue", result.issue);
  fields.required("agent", result.agent);
  fields.word("reason", event::exit_reason_named, result.reason);
  fields.required("code", result.code);
  fields.optional("agent_exit_code", result.agent_exit_code);
  fields.optional("agent_signal", result.agent_signal);
  fields.word("status_at_end", event::status_named, result.status_at_end);
  fields.word("cause", event::cause_named, result.cause);
  fields.required("detail", result.detail);
  fields.required("turns", result.turns);
  fields.required("messages_sent", result.messages_sent);
  fields.required("started", result.started);
  fields.optional("cancelled_at", result.cancelled_at);
  fields.required("ended", result.ended);
  fields.required("duration_ms", result.duration_ms);
  fields.optional("retry_after", result.retry_after_s);
  fields.optional("evidence", result.evidence);
  fields.optional("recording", result.recording);
  fields.required("invalid_bytes", result.invalid_bytes);
  fields.optional("snapshot", result.snapshot);
  fields.optional("snapshot_note", result.snapshot_note);
  read_gates(fields, result.gates);
  read_changes(fields, result.changes);
  read_worktree(fields, result.worktree);
  event::read_usage(fields, result.usage);
  if (const base::Json* json = fields.find("sandbox")) {
    base::JsonMembers sandbox(fields, *json, "sandbox");
    result.sandbox.emplace();
    sandbox.required("layers", result.sandbox->layers);
    sandbox.required("network", result.sandbox->network);
    sandbox.required("changed", result.sandbox->changed);
  }
  for (std::string* text : {&result.run, &result.session, &result.issue, &result.agent,
                            &result.started, &result.ended, &result.snapshot_note}) {
    *text = base::printable(*text);
  }
  for (std::string* text : {&result.detail, &result.evidence}) {
    *text = base::printable_lines(*text);
  }
  if (result.cancelled_at) *result.cancelled_at = base::printable(*result.cancelled_at);
  return document.finish(std::move(result));
}

PartOfRecord part_of_run_record(std::string_view text) {
  PartOfRecord part;
  base::JsonDocument document("run record", text);
  base::JsonMembers fields(document);
  const auto take = [&fields](const char* key, std::string& out) {
    const base::Json* found = fields.find(key);
    if (found != nullptr && found->is_string()) out = found->get<std::string>();
  };
  take("id", part.record.id);
  take("issue", part.record.issue);
  take("agent", part.record.agent);
  take("cwd", part.record.cwd);
  take("repository", part.record.repository);
  for (std::string* path : {&part.record.cwd, &part.record.repository}) {
    *path = path_from_text(*path);
  }
  take("started", part.record.started);
  make_printable(part.record);
  const base::Json* format = fields.find("format");
  if (format != nullptr && format->is_number_unsigned()) part.format = format->get<uint64_t>();
  return part;
}

}  // namespace orch::store
