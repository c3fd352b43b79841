#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/status_json.h"
#include "client/answers.h"
#include "client/client.h"
#include "client/find.h"
#include "setup/paths.h"
#include "store/issue_name.h"
#include "store/runs.h"
#include "ui/color.h"

namespace orch::cli {
namespace {

struct StatusOptions {
  std::string issue;
  bool json = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

using base::Json;

constexpr int kKeyColumns = 12;

void print_row(const std::string& key, const std::string& text) {
  std::printf("%-*s %s\n", kKeyColumns, key.c_str(), text.c_str());
}

// Prints a dialog's question, its options and the commands that answer it.
void print_dialog(const wire::DialogReport& dialog, const std::string& word) {
  print_row("question", base::printable(dialog.text));
  if (!dialog.command.empty()) print_row("command", base::printable(dialog.command));
  for (const wire::DialogReport::Option& option : dialog.options) {
    print_row("", std::to_string(option.number) + ". " + base::printable(option.text) + " (" +
                      base::printable(option.meaning) + ")");
  }
  std::string answers;
  for (const std::string& answer : client::answers_to(dialog)) {
    answers += (answers.empty() ? "" : " | ") + answer;
  }
  if (!answers.empty()) print_row("answer", "orch answer " + word + " " + answers);
}

// The usage in a few words for people.
std::string usage_in(const Json& json) {
  const auto usage = base::record_of<event::Usage>("", base::json_line(json), event::kUsageFields);
  return usage ? event::usage_text(*usage) : "";
}

void print(const Json& json, const StatusOptions& options) {
  if (options.json) {
    std::fputs(base::json_text(json).c_str(), stdout);
    return;
  }
  for (const auto& [key, value] : json.items()) {
    if (value.is_null() || key == "dialog") continue;
    const std::string text = key == "usage"      ? usage_in(value)
                             : value.is_string() ? value.get<std::string>()
                                                 : base::json_line(value);
    if (text.empty()) continue;
    const bool in_color = key == "status" && ui::wants_color(options.color, STDOUT_FILENO);
    print_row(key, ui::colored(base::printable(text), ui::color_of_state(text), in_color));
  }
}

// Prints the status of a session that waits for a slot of its batch.
int status_of_queued(const store::SessionRecord& session, const StatusOptions& options) {
  Json json;
  json["session"] = session.name;
  json["status"] = store::name(session.status);
  json["agent"] = session.agent;
  json["repository"] = session.repository;
  json["manager"] = session.manager;
  json["queued"] = session.started;
  json["pid"] = session.host.pid;
  print(json, options);
  return 0;
}

// Prints the status of a session that has ended, from the files of its run.
int status_of_run(const store::RunFolder& run, const StatusOptions& options) {
  const store::ReadRecord read = store::read_record(run);
  const std::optional<store::RunResult> result = store::result_of(run);
  const bool is_whole = read.state == store::RecordState::kWhole;
  Json json;
  json["session"] = store::session_name(run.issue);
  json["status"] = is_whole || result ? "exited" : "unreadable";
  json["reason"] = result ? Json(event::name(result->reason)) : Json();
  json["code"] = result ? Json(result->code) : Json();
  json["detail"] = result ? result->detail : "";
  json["agent"] = read.record.agent;
  json["turns"] = result ? Json(result->turns) : Json();
  json["manager"] = base::or_null(read.record.manager);
  json["ended"] = base::or_null(read.record.ended);
  if (!is_whole) json["unreadable"] = read.why;
  json["run"] = run.id;
  json["run_dir"] = run.path;
  print(json, options);
  return 0;
}

int status(const StatusOptions& options) {
  const base::Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place) return report(place.error());
  const base::Result<store::SessionRecord> session =
      client::find_session(*place, options.issue, client::Reach::kEverywhere);
  if (!options.issue.empty() && session && session->status == store::SessionStatus::kQueued) {
    return status_of_queued(*session, options);
  }
  const base::Result<client::Found> found =
      client::find_run(*place, options.issue, client::Reach::kEverywhere);
  if (!found) return report_no_session(found.error());
  const bool runs = found->session && found->session->status == store::SessionStatus::kRunning;
  if (!runs) return status_of_run(found->run, options);
  loop::Loop loop;
  base::Result<wire::Answer> answer =
      client::ask(loop, place->state_dir, *found->session, wire::AskStatus{});
  if (!answer && answer.error().code == base::ErrorCode::kNotFound) {  // the session has just ended
    return status_of_run(found->run, options);
  }
  if (!answer) return report(answer.error());
  const auto* stands = std::get_if<wire::StatusReport>(&answer->result);
  if (stands == nullptr) return report({base::ErrorCode::kSystem, "the host does not say"});
  const std::string word = client::word_for(*found->session, *place);
  base::Json json = status_json(*stands, word);
  json["manager"] = found->session->manager;
  json["manager_reason"] = found->session->manager_reason;
  print(json, options);
  if (stands->dialog && !options.json) print_dialog(*stands->dialog, word);
  return 0;
}

}  // namespace

void add_status_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("status", "how a session stands, or how it ended");
  auto options = std::make_shared<StatusOptions>();
  command->add_option("issue", options->issue,
                      "an issue or a session's name (default: the newest run here)");
  command->add_flag("--json", options->json, "as JSON");
  add_color_option(*command, options->color);
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer(
      "A session that waits at a dialog shows its question, its options and the commands that\n"
      "answer it. Exit code 4: there is neither a session nor a run.\n\n"
      "Examples:\n  orch status 42\n  orch status 42 --json | jq -r .status");
  command->callback([options, &chosen] { chosen = [options] { return status(*options); }; });
}

}  // namespace orch::cli
