#include "cli/top_rows.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>

#include "cli/standing.h"
#include "store/time_text.h"

namespace orch::cli {

using ui::Need;

namespace {

// The milliseconds since `time`; nullopt if `time` cannot be parsed.
std::optional<int64_t> ms_since(const std::string& time) {
  const auto then = store::parse_rfc3339_utc(time);
  if (!then) return std::nullopt;
  const auto age = std::chrono::system_clock::now() - *then;
  return std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
}

void take_result(const store::RunResult& result, ui::TopSession& row) {
  row.turns = result.turns;
  if (result.usage) row.tokens = event::tokens_text(*result.usage);
}

// A failed session shows the reason of its failure in place of its last words.
void take_failure(const client::SessionView& view, int64_t now_ms, ui::TopSession& row) {
  if (view.record.status != store::SessionStatus::kErrored) return;
  row.last_words = client::failure_text(view);
  if (view.result) take_result(*view.result, row);
  if (const auto ended = ms_since(view.record.ended)) {
    row.end_ms = row.since_ms = now_ms - *ended;
  }
}

}  // namespace

ui::TopSession top_row(const client::SessionView& view, int64_t reported_at_ms, int64_t now_ms) {
  ui::TopSession row;
  row.key = view.record.key;
  row.name = view.record.name;
  row.agent = view.record.agent;
  row.repository = view.record.repository;
  row.state = client::state_text(view);
  row.need = Need::kError;  // unless the host has reported, it is gone or does not answer
  row.started_ms = row.since_ms = now_ms - ms_since(view.record.started).value_or(0);
  take_failure(view, now_ms, row);
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
    const std::optional<store::RunResult>& result = session.view.result;
    row.state = result ? fmt::format("{} ({})", event::name(result->reason), result->code) : "gone";
    row.last_words.clear();
    if (result) take_result(*result, row);
    return row;
  }
  if (session.silent) {
    row.need = Need::kError;
    row.state = "unresponsive";
    row.dialog.reset();
  } else if (session.view.record.status == store::SessionStatus::kQueued) {
    row.need = Need::kQueued;
    row.state = "queued";
  } else if (!session.view.report && session.view.record.status == store::SessionStatus::kRunning) {
    row.need = Need::kWorking;  // it has not been asked yet
    row.state = "starting";
  }
  return row;
}

}  // namespace orch::cli
