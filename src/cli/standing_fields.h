#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/standing.h"
#include "options/run_option.h"
#include "store/former_name.h"
#include "store/path_text.h"
#include "store/run_checks_fields.h"
#include "wire/status_report_fields.h"

// The fields of sessions and runs as JSON; see base/json_writer.h. They are only written.
namespace orch::cli {

inline constexpr auto kIdentityFields = [](auto& out, const auto& standing) {
  out.nullable("run", standing.run);
  out.required("issue", standing.issue);
  out.required("session", standing.session);
  out.nullable("key", standing.key);
  out.nullable("agent", standing.agent);
};

inline constexpr auto kStandingFields = [](auto& out, const auto& standing) {
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

// A dialog that waits for an answer, and the commands that answer it.
struct OpenDialog {
  wire::DialogReport dialog;
  std::vector<std::string> commands;
};

// The state of a session. Fields that are unknown, or do not apply, are "" or absent.
struct SessionStanding {
  RunStanding run;
  store::SessionStatus life = store::SessionStatus::kRunning;
  std::string queued;  // since when it waits for its turn
  std::optional<int64_t> status_ms;
  std::optional<OpenDialog> dialog;
  std::string last_words;
  std::optional<int> pending;
  std::optional<wire::BudgetReport> budget;
  std::optional<bool> responds;
  std::string manager_reason;
  std::optional<std::vector<std::string>> argv;
  std::optional<int> pid;
  std::string socket;
  std::optional<int64_t> keep_for_ms;
};

inline constexpr auto kSessionFields = [](auto& out, const auto& session) {
  kStandingFields(out, session.run);
  out.word("life", store::session_status_named, session.life);
  out.nullable("queued", session.queued);
  out.nullable("status_ms", session.status_ms);
  out.object("dialog", session.dialog, [](auto& each, const auto& open) {
    wire::kDialogFields(each, open.dialog);
    each.required("commands", open.commands);
  });
  out.nullable("last_words", session.last_words);
  out.nullable("pending", session.pending);
  out.object("budget", session.budget, wire::kBudgetFields);
  out.nullable("responds", session.responds);
  out.nullable("manager_reason", session.manager_reason);
  out.nullable("argv", session.argv);
  out.nullable("pid", session.pid);
  out.nullable("socket", session.socket);
  out.nullable("keep_for_ms", session.keep_for_ms);
};

struct RunAndStanding {
  client::RunView run;
  RunStanding standing;
};

inline constexpr auto kRunFields = [](auto& out, const auto& both) {
  const store::RunRecord& record = both.run.record;
  const store::Verdict verdict = record.verdict.value_or(store::Verdict());
  kStandingFields(out, both.standing);
  out.required("host_died", both.run.host_died);
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
};

}  // namespace orch::cli
