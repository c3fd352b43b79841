#include "cli/standing.h"

#include "base/json_writer.h"
#include "cli/standing_fields.h"
#include "client/answers.h"
#include "store/issue_name.h"

namespace orch::cli {
namespace {

using base::Json;

bool is_over(const RunStanding& standing) {
  return standing.state && *standing.state != store::RunStatus::kStarting &&
         *standing.state != store::RunStatus::kRunning;
}

// The fields that a session file has. Used if the session's run record cannot be read.
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

// A run without a verdict whose host is gone ends as `orch wait` reports it.
void add_death_of_host(RunStanding& standing) {
  standing.reason = event::ExitReason::kInternal;
  standing.code = event::exit_code(event::ExitReason::kInternal);
  standing.detail = "its orch died";
}

// Adds the fields from the host's report of a running session.
void add_live_fields(const wire::StatusReport& report, const std::string& word,
                     SessionStanding& standing) {
  standing.status_ms = report.ms - report.since_ms;
  if (report.dialog) {
    standing.dialog = OpenDialog{*report.dialog, {}};
    for (const std::string& answer : client::answers_to(*report.dialog)) {
      standing.dialog->commands.push_back("orch answer " + word + " " + answer);
    }
  }
  standing.last_words = report.last_words;
  standing.pending = report.pending;
  standing.budget = report.budget;
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
  for (const std::string& why : {run.unreadable, record.unreadable}) {
    if (standing.unreadable.empty()) standing.unreadable = why;
  }
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
  SessionStanding standing;
  standing.run = standing_of(place.state_dir, session);
  standing.life = record.status;
  if (record.status == SessionStatus::kQueued) standing.queued = record.started;
  if (session.report) add_live_fields(*session.report, client::word_for(record, place), standing);
  if (record.status == SessionStatus::kRunning) standing.responds = session.report.has_value();
  standing.manager_reason = record.manager_reason;
  standing.argv = record.command;
  if (record.host.pid > 0) standing.pid = record.host.pid;
  standing.socket = record.socket;
  if (!record.ended.empty()) standing.keep_for_ms = record.keep_for_ms;
  return base::object_of(standing, kSessionFields);
}

Json session_json(const RunStanding& ended) {
  SessionStanding standing;
  standing.run = ended;
  standing.life = store::SessionStatus::kStopped;
  return base::object_of(standing, kSessionFields);
}

Json run_json(const client::RunView& run) {
  const RunAndStanding both{run, standing_of(run)};
  return base::object_of(both, kRunFields);
}

std::string spent_text(const wire::StatusReport& report) {
  const int64_t most = report.budget ? report.budget->tokens : 0;
  if (!report.usage && most == 0) return "";
  std::string text = report.usage ? event::tokens_text(*report.usage) : "?";
  if (most > 0) text += "/" + event::tokens_text(most);
  return text;
}

}  // namespace orch::cli
