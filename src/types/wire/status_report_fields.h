#pragma once

#include "event/usage.h"
#include "wire/status_report.h"

// The fields of a status report; see base/json_writer.h. Other code that writes a session as JSON
// uses parts of it, so that all look alike.
namespace orch::wire {

inline constexpr auto kDialogFields = [](auto& in, auto& dialog) {
  in.required("id", dialog.id);
  in.word("kind", event::cause_named, dialog.kind);
  in.optional("title", dialog.title);
  in.required("text", dialog.text);
  in.nullable("command", dialog.command);
  in.nullable("body", dialog.body);
  in.optional("complete", dialog.complete);
  in.optional("shortened", dialog.shortened);
  in.list("options", dialog.options, [](auto& each, auto& option) {
    each.required("number", option.number);
    each.required("text", option.text);
    each.required("meaning", option.meaning);
    each.nullable("description", option.description);
    each.nullable("ticked", option.ticked);
  });
};

inline constexpr auto kBudgetFields = [](auto& in, auto& budget) {
  in.limit("tokens", budget.tokens);
  in.limit("cost_usd", budget.cost_usd);
  in.limit("ms", budget.ms);
};

inline constexpr auto kReportFields = [](auto& in, auto& report) {
  in.required("session", report.session);
  in.required("run", report.run);
  in.required("agent", report.agent);
  in.word("status", event::status_named, report.status);
  in.word("cause", event::cause_named, report.cause);
  in.required("since_ms", report.since_ms);
  in.required("ms", report.ms);
  in.required("turns", report.turns);
  in.optional("pending", report.pending);
  in.required("pid", report.pid);
  in.required("issue", report.issue);
  in.required("repository", report.repository);
  in.required("run_dir", report.run_dir);
  in.object("dialog", report.dialog, kDialogFields);
  in.nullable("last_words", report.last_words);
  in.optional("words_ms", report.words_ms);
  in.optional("cols", report.cols);
  in.optional("rows", report.rows);
  in.optional("viewers", report.viewers);
  in.optional("manager", report.manager);
  in.object("usage", report.usage, event::kUsageFields);
  in.object("budget", report.budget, kBudgetFields);
  in.nullable("retry_after_ms", report.retry_after_ms);
};

}  // namespace orch::wire
