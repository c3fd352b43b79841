#include "cli/top_rows.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/status_json.h"
#include "store/time_text.h"

namespace orch::cli {

using ui::Need;

namespace {

// How long ago the session began, by its file.
int64_t age_ms(const store::SessionRecord& record) {
  const auto started = store::parse_rfc3339_utc(record.started);
  if (!started) return 0;
  const auto age = std::chrono::system_clock::now() - *started;
  return std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
}

}  // namespace

ui::TopSession top_row(const client::SessionView& view, int64_t reported_at_ms, int64_t now_ms) {
  ui::TopSession row;
  row.key = view.record.key;
  row.name = view.record.name;
  row.agent = view.record.agent;
  row.repository = view.record.repository;
  row.state = client::state_text(view);
  row.need = Need::kError;  // its host is gone, or does not answer
  row.started_ms = row.since_ms = now_ms - age_ms(view.record);
  if (!view.report) return row;
  const wire::StatusReport& report = *view.report;
  row.need = ui::need_of(report.status);
  row.started_ms = reported_at_ms - report.ms;
  row.since_ms = row.started_ms + report.since_ms;
  row.turns = report.turns;
  row.viewers = report.viewers;
  row.tokens = spent_text(report);
  row.last_words = report.last_words;
  row.dialog = report.dialog;
  return row;
}

ui::TopSession top_row(const client::WatchedSession& session, int64_t now_ms) {
  ui::TopSession row = top_row(session.view, session.reported_at_ms, now_ms);
  if (session.ended) {
    row.need = Need::kDone;
    row.dialog.reset();
    row.end_ms = session.ended_at_ms;
    row.state = session.result ? fmt::format("{} ({})", event::name(session.result->reason),
                                             session.result->code)
                               : "gone";
    if (!session.result) return row;
    row.turns = session.result->turns;
    if (session.result->usage) row.tokens = event::tokens_text(*session.result->usage);
    return row;
  }
  if (session.silent) {
    row.need = Need::kError;
    row.state = "unresponsive";
    row.dialog.reset();
  } else if (session.view.record.status == store::SessionStatus::kQueued) {
    row.need = Need::kWorking;
    row.state = "queued";
  } else if (!session.view.report && session.view.record.status == store::SessionStatus::kRunning) {
    row.need = Need::kWorking;  // it was not asked before now
    row.state = "starting";
  }
  return row;
}

}  // namespace orch::cli
