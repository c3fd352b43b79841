#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "cli/standing.h"
#include "client/answers.h"
#include "client/client.h"
#include "client/find.h"
#include "client/sessions.h"
#include "store/runs.h"
#include "ui/color.h"
#include "ui/elapsed.h"

namespace orch::cli {
namespace {

struct StatusOptions {
  std::string issue;
  bool json = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

constexpr int kKeyColumns = 12;

void print_row(const std::string& key, const std::string& text) {
  std::printf("%-*s %s\n", kKeyColumns, key.c_str(), text.c_str());
}

// Prints a dialog's question, its options and the commands that answer it.
void print_dialog(const wire::DialogReport& dialog, const std::string& word) {
  print_row("question", base::printable(dialog.text));
  if (!dialog.command.empty()) print_row("command", base::printable(dialog.command));
  for (const wire::DialogReport::Option& option : dialog.options) {
    print_row("",
              base::printable(wire::label(option)) + " (" + base::printable(option.meaning) + ")");
  }
  std::string answers;
  for (const std::string& answer : client::answers_to(dialog)) {
    answers += (answers.empty() ? "" : " | ") + answer;
  }
  if (!answers.empty()) print_row("answer", "orch answer " + word + " " + answers);
  if (dialog.is_set() && dialog.options.size() > 1) {
    print_row("", "all that shall be ticked at once: orch answer " + word + " 1 2");
  }
}

// Prints a row, unless the text is empty.
void print_known(const std::string& key, const std::string& text) {
  if (!text.empty()) print_row(key, base::printable(text));
}

// "waiting (permission) for 23 s", the status in its colour.
std::string status_text(const RunStanding& standing, const wire::StatusReport* report,
                        bool in_color) {
  const std::string word(standing.status ? event::name(*standing.status) : "unknown");
  std::string text = ui::colored(word, ui::color_of_state(word), in_color);
  if (standing.cause != event::Cause::kNone) {
    text.append(" (").append(event::name(standing.cause)).append(")");
  }
  if (report != nullptr) text += " for " + ui::elapsed_words(report->ms - report->since_ms);
  return text;
}

// How the run ended: "failed, gate_failed (exit code 20)"; "" if it goes on.
std::string end_text(const RunStanding& standing) {
  if (!standing.state || !standing.reason) return "";
  return std::string(store::name(*standing.state)) + ", " +
         std::string(event::name(*standing.reason)) + " (exit code " +
         std::to_string(standing.code.value_or(0)) + ")";
}

void print_words(const RunStanding& standing, const wire::StatusReport* report, bool in_color) {
  print_known("session", standing.session);
  print_known("unreadable", standing.unreadable);
  if (standing.status) print_row("status", status_text(standing, report, in_color));
  print_known("outcome", end_text(standing));
  print_known("detail", standing.detail.value_or(""));
  if (report != nullptr) print_known("last words", report->last_words);
  print_known("agent", standing.agent);
  if (standing.turns) print_row("turns", std::to_string(*standing.turns));
  if (standing.usage) print_row("usage", event::usage_text(*standing.usage));
  if (report != nullptr && report->budget) print_known("tokens", spent_text(*report));
  print_known("started", ui::local_time_text(standing.started));
  print_known("ended", ui::local_time_text(standing.ended));
  if (standing.ms) {
    const std::string words = ui::elapsed_words(*standing.ms);
    report != nullptr ? print_row("running", "for " + words) : print_row("took", words);
  }
  if (report != nullptr) print_row("pid", std::to_string(report->pid));
  print_known("manager", standing.manager);
  print_known("repository", standing.repository);
  print_known("run", standing.run);
  print_known("run folder", standing.run_dir);
}

bool wants_color(const StatusOptions& options) {
  return ui::wants_color(options.color, STDOUT_FILENO);
}

// Prints the status of a session that has ended, from the files of its run.
int status_of_run(const client::Place& place, const store::RunFolder& run,
                  const StatusOptions& options) {
  const RunStanding standing = standing_of(place.state_dir, run);
  if (options.json) {
    std::fputs(base::json_text(session_json(standing)).c_str(), stdout);
  } else {
    print_words(standing, nullptr, wants_color(options));
  }
  return 0;
}

// Prints the status of a session that waits for a slot of its batch, or of one with a status report
// from its host.
int status_of_session(const client::Place& place, const client::SessionView& session,
                      const StatusOptions& options) {
  if (options.json) {
    std::fputs(base::json_text(session_json(session, place)).c_str(), stdout);
    return 0;
  }
  if (session.record.status == store::SessionStatus::kQueued) {
    print_known("session", session.record.name);
    print_row("life", "queued since " + ui::local_time_text(session.record.started));
    print_known("agent", session.record.agent);
    print_known("repository", session.record.repository);
    return 0;
  }
  print_words(standing_of(place.state_dir, session), session.report ? &*session.report : nullptr,
              wants_color(options));
  if (session.report && session.report->dialog) {
    print_dialog(*session.report->dialog, client::word_for(session.record, place));
  }
  return 0;
}

int status(const StatusOptions& options, const client::Place& place) {
  const base::Result<store::SessionRecord> session =
      client::find_session(place, options.issue, client::Reach::kEverywhere);
  if (!options.issue.empty() && session && session->status == store::SessionStatus::kQueued) {
    return status_of_session(place, {*session, {}, {}}, options);
  }
  if (!options.issue.empty() && session && !session->unreadable.empty()) {
    std::fprintf(stderr, "orch: %s\n", base::printable(session->unreadable).c_str());
  }
  const base::Result<client::Found> found = client::find_shown(place, options.issue);
  if (!found) return report_no_session(found.error());
  const bool runs = found->session && found->session->status == store::SessionStatus::kRunning;
  if (!runs) return status_of_run(place, found->run, options);
  loop::Loop loop;
  base::Result<wire::Answer> answer =
      client::ask(loop, place.state_dir, *found->session, wire::AskStatus{});
  if (!answer && answer.error().code == base::ErrorCode::kNotFound) {  // the session has just ended
    return status_of_run(place, found->run, options);
  }
  if (!answer) return report(answer.error());
  const auto* stands = std::get_if<wire::StatusReport>(&answer->result);
  if (stands == nullptr) return report({base::ErrorCode::kSystem, "the host does not say"});
  return status_of_session(place, {*found->session, *stands, {}}, options);
}

}  // namespace

void add_status_command(CLI::App& app, Chosen& chosen) {
  CommandWith<StatusOptions> command(app, chosen, "status", "a session's state, or how it ended",
                                     status);
  command.option("issue", command->issue,
                 "an issue or a session's name (default: the newest run here)");
  command.flag("--json", command->json, "as JSON");
  command.color();
  command.state_dir();
  command.footer(
      "A session that waits at a dialog shows its question, its options and the commands that\n"
      "answer it. Exit code 4: there is neither a session nor a run.\n\n"
      "Examples:\n  orch status 42\n  orch status 42 --json | jq -r .status");
}

}  // namespace orch::cli
