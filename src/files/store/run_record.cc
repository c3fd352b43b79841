#include "store/run_record.h"

#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "store/path_text.h"
#include "store/run_record_fields.h"

namespace orch::store {
namespace {

constexpr base::Words<RunStatus, 5> kStatuses{{
    {RunStatus::kStarting, "starting"},
    {RunStatus::kRunning, "running"},
    {RunStatus::kCompleted, "completed"},
    {RunStatus::kFailed, "failed"},
    {RunStatus::kCancelled, "cancelled"},
}};

// In the file, paths are text (path_text.h).
template <typename Change>
void change_paths(RunRecord& record, const Change& change) {
  for (std::string* path : {&record.cwd, &record.repository}) *path = change(*path);
  if (!record.request) return;
  for (std::string* path : {&record.request->folder, &record.request->cwd}) *path = change(*path);
}

// Makes the names and descriptions of a run printable. They are shown as they are, and somebody may
// have put control sequences of a terminal into the file. Paths and commands stay exact, because
// they are used; code that prints them makes them printable.
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

void make_printable(RunResult& result) {
  for (std::string* text : {&result.run, &result.session, &result.issue, &result.agent,
                            &result.started, &result.ended, &result.snapshot_note}) {
    *text = base::printable(*text);
  }
  for (std::string* text : {&result.detail, &result.evidence}) {
    *text = base::printable_lines(*text);
  }
  if (result.cancelled_at) *result.cancelled_at = base::printable(*result.cancelled_at);
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
                           .ms = result.duration_ms,
                           .gates = result.gates,
                           .changes = result.changes,
                           .worktree = result.worktree,
                           .usage = result.usage};
  for (GateRun& gate : record.verdict->gates) gate.output.clear();
}

std::string to_json(const RunRecord& record) {
  base::Json json{{"format", kRunRecordFormat}};
  RunRecord as_text = record;
  change_paths(as_text, path_to_text);
  base::JsonWriter out(json);
  kRunRecordFields(out, as_text);
  return base::json_text(json);
}

std::string to_json(const RunResult& result) {
  return base::json_text(base::object_of(result, kRunResultFields));
}

base::Result<RunRecord> run_record_from_json(std::string_view text) {
  base::JsonDocument document("run record", text);
  base::JsonMembers in(document);
  RunRecord record;
  uint64_t format = kRunRecordFormat;
  in.optional("format", format);
  if (format > kRunRecordFormat) in.fail("format", "is a later orch's");
  kRunRecordFields(in, record);
  change_paths(record, path_from_text);
  make_printable(record);
  return document.finish(std::move(record));
}

base::Result<RunResult> run_result_from_json(std::string_view text) {
  base::Result<RunResult> result = base::record_of<RunResult>("run result", text, kRunResultFields);
  if (result) make_printable(*result);
  return result;
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
  change_paths(part.record, path_from_text);
  take("started", part.record.started);
  make_printable(part.record);
  const base::Json* format = fields.find("format");
  if (format != nullptr && format->is_number_unsigned()) part.format = format->get<uint64_t>();
  return part;
}

}  // namespace orch::store
