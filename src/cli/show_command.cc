#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "cli/run_color.h"
#include "cli/standing.h"
#include "client/find.h"
#include "client/runs.h"
#include "store/state_file.h"
#include "ui/color.h"
#include "ui/elapsed.h"

namespace orch::cli {
namespace {

constexpr size_t kShownTask = 400;  // bytes; prompt.md has the whole task

struct ShowOptions {
  std::string run;
  bool json = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

// The files in the run's folder, sorted by name.
std::vector<std::string> files_of(const store::RunFolder& run) {
  const base::Result<std::vector<std::string>> names = store::names_in_folder(run.path);
  if (!names) (void)report(names.error());
  std::vector<std::string> files;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    files.push_back(run.path + "/" + name);
  }
  return files;
}

class Rows {
 public:
  void add(const char* key, const std::string& text) {
    if (!text.empty()) text_ += fmt::format("{:<12} {}\n", key, base::printable(text));
  }
  // Without escaping, so that it keeps its colour.
  void add_raw(const char* key, const std::string& text) {
    text_ += fmt::format("{:<12} {}\n", key, text);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$") == std::string::npos;
    text += (text.empty() ? "" : " ") + (plain ? word : base::Json(word).dump());
  }
  return text;
}

std::string shown_task(const std::string& task) {
  const std::string_view shown = base::beginning(task, kShownTask);
  return std::string(shown) + (shown.size() < task.size() ? "…" : "");
}

void add_request(const options::RunRequest& request, Rows& rows) {
  rows.add("task", shown_task(request.prompt.value_or("")));
  rows.add("model", request.model);
  std::string limits = fmt::format("{} turns", request.max_turns);
  if (!request.timeout.empty()) limits += ", timeout " + request.timeout;
  if (!request.idle_timeout.empty()) limits += ", idle timeout " + request.idle_timeout;
  rows.add("until", request.until + " (" + limits + ")");
  rows.add("approve", request.approve + ", sandbox " + request.sandbox);
  rows.add("env", quoted(request.env));
}

void add_checks(const store::Verdict& verdict, Rows& rows) {
  for (const store::GateRun& gate : verdict.gates) {
    const std::string end = gate.timed_out   ? "killed, it took too long"
                            : gate.code == 0 ? "passed"
                                             : fmt::format("failed with {}", gate.code);
    rows.add("gate", fmt::format("{}: {}, {} ({})", gate.n, gate.command, end,
                                 ui::elapsed_words(gate.duration_ms)));
  }
  if (verdict.usage) rows.add("usage", event::usage_text(*verdict.usage));
  if (verdict.worktree) {
    rows.add("worktree", verdict.worktree->kept
                             ? verdict.worktree->path + " (" + verdict.worktree->why + ")"
                             : "removed");
    if (verdict.worktree->branch_kept) rows.add("branch", verdict.worktree->branch);
  }
  if (verdict.changes) {
    rows.add("changes", store::changes_text(*verdict.changes));
    for (const std::string& path : verdict.changes->paths) rows.add("changed", path);
  }
}

std::string text_of(const client::RunView& run, const ShowOptions& options) {
  const store::RunRecord& record = run.record;
  const bool in_color = ui::wants_color(options.color, STDOUT_FILENO);
  Rows rows;
  rows.add("run", record.id);
  rows.add("issue", record.issue);
  rows.add_raw("status", ui::colored(client::state_text(run), color_of(record.status), in_color));
  if (record.verdict) {
    rows.add("detail", record.verdict->detail);
    rows.add("exit code", std::to_string(record.verdict->code));
    rows.add("turns", std::to_string(record.verdict->turns));
    add_checks(*record.verdict, rows);
  }
  rows.add("parent", record.parent.value_or(""));
  rows.add("agent",
           record.agent + (record.agent_version.empty() ? "" : " ") + record.agent_version);
  rows.add("own session", record.agent_session);
  if (record.request) add_request(*record.request, rows);
  rows.add("command", quoted(record.argv));
  rows.add("directory", record.cwd);
  const std::string to = record.git_after.empty() ? "" : " to " + record.git_after;
  rows.add("git", record.git_before + (record.git_after == record.git_before ? "" : to));
  rows.add("manager", record.manager);
  rows.add("started", ui::local_time_text(record.started));
  rows.add("cancelled", ui::local_time_text(record.cancelled_at.value_or("")));
  rows.add("ended", ui::local_time_text(record.ended.value_or("")));
  const auto lasted = client::duration_of(run, std::chrono::system_clock::now());
  if (!run.host_died) rows.add("duration", ui::elapsed_words(lasted.count()));
  for (const std::string& file : files_of(run.folder)) rows.add("file", file);
  return rows.text();
}

base::Json json_of(const client::RunView& run) {
  base::Json json = run_json(run);
  const store::Found<store::RunResult> result = store::result_of(run.folder);
  if (result.is_unknown()) (void)report(result.error());
  json["result"] = result.is_present() ? base::parse_json(to_json(*result)) : base::Json(nullptr);
  json["files"] = files_of(run.folder);
  return json;
}

int show_run(const ShowOptions& options, const client::Place& place) {
  const base::Result<client::Found> found = client::find_shown(place, options.run);
  if (!found) return report_no_session(found.error());
  const base::Result<client::RunView> run = client::view_run(place.state_dir, found->run);
  if (!run) return report(run.error());
  std::fputs((options.json ? base::json_text(json_of(*run)) : text_of(*run, options)).c_str(),
             stdout);
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app, Chosen& chosen) {
  CommandWith<ShowOptions> command(app, chosen, "show", "everything that is known of one run",
                                   show_run);
  command.option("run", command->run,
                 "a run's id, or an issue: its newest run (default: the newest here)");
  command.flag("--json", command->json, "as JSON, with result.json");
  command.color();
  command.state_dir();
  command.footer(
      "Shows the task, the command, the outcome, and the paths of its files: last_screen.txt of a "
      "failed run is the agent's last screen. Exit code 4: the run does not exist.\n\n"
      "Examples:\n  orch show 42\n  orch show 42 --json | jq -r .request.task");
}

}  // namespace orch::cli
