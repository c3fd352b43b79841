#include "cli/standing.h"

#include "base/json_writer.h"
#include "client/answers.h"
#include "options/run_option.h"
#include "store/former_name.h"
#include "store/issue_name.h"
#include "store/path_text.h"
#include "store/run_checks_fields.h"
#include "wire/status_report_fields.h"

namespace orch::cli {
namespace {

using base::Json;

constexpr auto kIdentityFields = [](auto& out, const auto& standing) {
  out.nullable("run", standing.run);
  out.required("issue", standing.issue);
  out.required("session", standing.session);
  out.nullable("key", standing.key);
  out.nullable("agent", standing.agent);
};

constexpr auto kStandingFields = [](auto& out, const auto& standing) {
  kIdentityFields(out, standing);
  out.word("state", store::run_status_named, standing.state);
  out.word("status", event::status_named, standing.status);
  out.word("cause", event::cause_named, standing.cause);
  out.word("reason", event::exit_reason_named, standing.reason);
  out.nullable("code", standing.code);
  out.nullable("detail", standing.detail);
  out.nullable("started", standing.started);
  out.nullable("ended", standing.ended);
  out.nullable("ms", standing.ms);
  out.nullable("turns", standing.turns);
  store::derived(out, "tokens",
                 standing.usage ? std::optional(event::tokens(*standing.usage)) : std::nullopt);
  out.object("usage", standing.usage, event::kUsageFields);
  out.nullable("manager", standing.manager);
  out.nullable("repository", store::path_to_text(standing.repository));
  out.nullable("cwd", store::path_to_text(standing.cwd));
  out.nullable("run_dir", store::path_to_text(standing.run_dir));
  out.nullable("unreadable", standing.unreadable);
};

bool is_over(const RunStanding& standing) {
  return standing.state && *standing.state != store::RunStatus::kStarting &&
         *standing.state != store::RunStatus::kRunning;
}

// What the file of a session tells, for a session whose run has no record that could be read.
RunStanding standing_of(const store::SessionRecord& session) {
  RunStanding standing;
  standing.run = session.run;
  standing.issue = session.issue;
  standing.session = session.name;
  standing.key = session.key;
  standing.agent = session.agent;
  const bool is_queued = session.status == store::SessionStatus::kQueued;
  if (!is_queued) standing.started = session.started;
  standing.ended = session.ended;
  standing.manager = session.manager;
  standing.repository = session.repository;
  standing.cwd = session.cwd;
  standing.run_dir = session.run_dir;
  standing.unreadable = session.unreadable;
  return standing;
}

void add_report(const wire::StatusReport& report, RunStanding& standing) {
  if (is_over(standing)) return;
  standing.status = report.status;
  standing.cause = report.cause;
  standing.ms = report.ms;
  standing.turns = report.turns;
  standing.usage = report.usage;
}

// A run without a verdict whose host is gone ends as `orch wait` tells it.
void add_death_of_host(RunStanding& standing) {
  standing.reason = event::ExitReason::kInternal;
  standing.code = event::exit_code(event::ExitReason::kInternal);
  standing.detail = "its orch died";
}

Json dialog_json(const wire::StatusReport& report, const std::string& word) {
  if (!report.dialog) return nullptr;
  Json json = base::object_of(*report.dialog, wire::kDialogFields);
  json["commands"] = Json::array();
  for (const std::string& answer : client::answers_to(*report.dialog)) {
    json["commands"].push_back("orch answer " + word + " " + answer);
  }
  return json;
}

// Adds the fields of a session that runs; all are null without a report.
void add_live_fields(const std::optional<wire::StatusReport>& report, const std::string& word,
                     Json& json) {
  json["status_ms"] = report ? Json(report->ms - report->since_ms) : Json();
  json["dialog"] = report ? dialog_json(*report, word) : Json();
  json["last_words"] = report ? base::or_null(report->last_words) : Json();
  json["pending"] = report ? Json(report->pending) : Json();
  json["budget"] = base::object_of(report ? report->budget : std::nullopt, wire::kBudgetFields);
}

}  // namespace

RunStanding standing_of(const client::RunView& run) {
  const store::RunRecord& record = run.record;
  RunStanding standing;
  standing.run = record.id;
  standing.issue = record.issue;
  standing.session = store::session_name(record.issue);
  standing.agent = record.agent;
  if (!record.repository.empty()) {
    standing.key = store::session_key(record.issue, record.repository);
  }
  standing.started = record.started;
  standing.manager = record.manager;
  standing.repository = record.repository;
  standing.cwd = record.cwd;
  standing.run_dir = run.folder.path;
  standing.unreadable = run.unreadable;
  if (!run.unreadable.empty()) return standing;
  standing.state = record.status;
  standing.ended = record.ended.value_or("");
  if (!is_over(standing)) {
    standing.ms = client::duration_of(run, std::chrono::system_clock::now()).count();
    return standing;
  }
  standing.status = event::AgentStatus::kExited;
  if (!record.verdict) {
    add_death_of_host(standing);
    return standing;
  }
  const store::Verdict& verdict = *record.verdict;
  standing.reason = verdict.reason;
  standing.code = verdict.code;
  standing.detail = verdict.detail;
  standing.ms = verdict.ms.value_or(client::duration_of(run, {}).count());
  standing.turns = verdict.turns;
  standing.usage = verdict.usage;
  return standing;
}

RunStanding standing_of(const client::RunView& run, const wire::StatusReport& report) {
  RunStanding standing = standing_of(run);
  add_report(report, standing);
  return standing;
}

RunStanding standing_of(const std::string& state_dir, const store::RunFolder& run) {
  return standing_of(client::view_any_run(state_dir, run));
}

RunStanding standing_of(const std::string& state_dir, const client::SessionView& session) {
  const store::SessionRecord& record = session.record;
  if (record.run.empty()) return standing_of(record);
  const client::RunView run =
      client::view_any_run(state_dir, {record.run_dir, record.run, record.issue});
  RunStanding standing = run.unreadable.empty() ? standing_of(run) : standing_of(record);
  if (session.report) add_report(*session.report, standing);
  return standing;
}

Json identity_json(const store::SessionRecord& session) {
  return base::object_of(standing_of(session), kIdentityFields);
}

Json standing_json(const RunStanding& standing) {
  return base::object_of(standing, kStandingFields);
}

Json session_json(const client::SessionView& session, const client::Place& place) {
  const store::SessionRecord& record = session.record;
  using store::SessionStatus;
  Json json = standing_json(standing_of(place.state_dir, session));
  json["life"] = store::name(record.status);
  json["queued"] = record.status == SessionStatus::kQueued ? base::or_null(record.started) : Json();
  add_live_fields(session.report, client::word_for(record, place), json);
  json["responds"] =
      record.status == SessionStatus::kRunning ? Json(session.report.has_value()) : Json();
  json["manager_reason"] = base::or_null(record.manager_reason);
  json["argv"] = record.command;
  json["pid"] = record.host.pid > 0 ? Json(record.host.pid) : Json();
  json["socket"] = base::or_null(record.socket);
  json["keep_for_ms"] = record.ended.empty() ? Json() : Json(record.keep_for_ms);
  return json;
}

Json session_json(const RunStanding& ended) {
  Json json = standing_json(ended);
  json["life"] = store::name(store::SessionStatus::kStopped);
  json["queued"] = nullptr;
  add_live_fields(std::nullopt, "", json);
  json["responds"] = nullptr;
  json["manager_reason"] = nullptr;
  for (const char* of_host : {"argv", "pid", "socket", "keep_for_ms"}) json[of_host] = nullptr;
  return json;
}

Json run_json(const client::RunView& run) {
  const store::RunRecord& record = run.record;
  const store::Verdict verdict = record.verdict.value_or(store::Verdict());
  Json json = standing_json(standing_of(run));
  base::JsonWriter out(json);
  out.required("host_died", run.host_died);
  out.nullable("parent", record.parent);
  out.nullable("cancelled_at", record.cancelled_at);
  out.nullable("agent_version", record.agent_version);
  out.nullable("agent_session", record.agent_session);
  out.required("argv", record.argv);
  out.nullable("manager_reason", record.manager_reason);
  out.nullable("git_before", record.git_before);
  out.nullable("git_after", record.git_after);
  out.list("gates", verdict.gates, store::kGateFields);
  out.object("changes", verdict.changes, store::kChangesFields);
  out.object("worktree", verdict.worktree, store::kWorktreeFields);
  out.nullable("keep_for_ms", record.keep_for_ms);
  out.object("request", record.request, options::kRunRequestFields);
  return json;
}

std::string spent_text(const wire::StatusReport& report) {
  const int64_t most = report.budget ? report.budget->tokens : 0;
  if (!report.usage && most == 0) return "";
  std::string text = report.usage ? event::tokens_text(*report.usage) : "?";
  if (most > 0) text += "/" + event::tokens_text(most);
  return text;
}

}  // namespace orch::cli
