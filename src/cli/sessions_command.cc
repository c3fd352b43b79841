#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "cli/sessions_metrics.h"
#include "cli/standing.h"
#include "client/answers.h"
#include "client/sessions.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "ui/color.h"
#include "ui/elapsed.h"
#include "ui/table.h"

namespace orch::cli {
namespace {

constexpr int64_t kPatienceMs = 1000;
constexpr int64_t kWatchMs = 1000;

struct SessionsOptions {
  bool json = false, prometheus = false, watch = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

// The question that a session waits at, for the row below it: "  ? Do you want to proceed?  orch
// answer 42 yes|no|1|2"; "" if it has no dialog.
std::string question_row(const client::SessionView& session, const client::Place& place) {
  if (!session.report || !session.report->dialog) return "";
  const wire::DialogReport& dialog = *session.report->dialog;
  std::string row = "  ? " + base::printable(dialog.text);
  std::string answers;
  for (const std::string& answer : client::answers_to(dialog)) {
    answers += (answers.empty() ? "" : "|") + answer;
  }
  if (!answers.empty()) {
    row += "  orch answer " + client::word_for(session.record, place) + " " + answers;
  }
  return row + "\n";
}

// Why a session failed, for the row below it; "" if it did not.
std::string failure_row(const client::SessionView& session) {
  const std::string failure = client::failure_text(session);
  return failure.empty() ? "" : "  ! " + failure + "\n";
}

std::string table(const std::vector<client::SessionView>& sessions, const client::Place& place,
                  bool in_color) {
  constexpr int kAlways = ui::Table::kAlways;
  ui::Table table({{"SESSION", kAlways},
                   {"MANAGER", 1},
                   {"STATUS", kAlways},
                   {"AGENT", 4},
                   {"RUNNING", 3, true},
                   {"REPOSITORY", 2}});
  for (const client::SessionView& session : sessions) {
    const store::SessionRecord& record = session.record;
    const std::string state = client::state_text(session);
    table.add({{record.name},
               {record.manager},
               {state, ui::color_of_state(state)},
               {record.agent},
               {session.report ? ui::elapsed_text(session.report->ms) : ""},
               {record.repository}},
              question_row(session, place) + failure_row(session));
  }
  return table.text(ui::window_columns(), in_color);
}

std::string json_of(const std::vector<client::SessionView>& sessions, const client::Place& place) {
  base::Json list = base::Json::array();
  for (const client::SessionView& session : sessions) list.push_back(session_json(session, place));
  return base::json_text(list);
}

// Shows a live table until it is interrupted.
int watch(const client::Place& place, bool in_color) {
  if (::isatty(STDOUT_FILENO) == 0 || ui::is_dumb()) {
    return report(base::usage_error("--watch needs a terminal; use --json in a script"));
  }
  loop::Loop loop;
  loop::Timer timer(loop);
  const std::function<void()> draw = [&] {
    const auto all = client::view_sessions(place.state_dir, kPatienceMs);
    const std::string text =
        all ? table(*all, place, in_color) : "orch: " + base::printable(all.error().text) + "\n";
    std::printf("\x1b[H\x1b[2J%s", text.c_str());
    std::fflush(stdout);
    timer.start(kWatchMs, draw);
  };
  draw();
  loop.run();
  return 0;
}

int sessions(const SessionsOptions& options, const client::Place& place) {
  const bool in_color = ui::wants_color(options.color, STDOUT_FILENO);
  if (options.watch) return watch(place, in_color);
  const base::Result<std::vector<client::SessionView>> viewed =
      client::view_sessions(place.state_dir, kPatienceMs);
  if (!viewed) return report(viewed.error());
  const std::vector<client::SessionView>& all = *viewed;
  if (options.prometheus) {
    std::printf("%s", metrics_of(all).c_str());
    return 0;
  }
  std::printf("%s", (options.json ? json_of(all, place) : table(all, place, in_color)).c_str());
  if (all.empty() && !options.json && ::isatty(STDOUT_FILENO) != 0) {
    std::fputs(
        "orch: nothing runs; begin with: orch run \"fix the bug\" -d, or see: orch run demo\n",
        stderr);
  }
  const std::string limits = client::limits_text(place.state_dir);
  if (!options.json && !limits.empty())
    std::fprintf(stderr, "orch: %s\n", base::printable(limits).c_str());
  return 0;
}

}  // namespace

void add_sessions_command(CLI::App& app, Chosen& chosen) {
  CommandWith<SessionsOptions> command(app, chosen, "sessions", "what runs now, and how it stands",
                                       sessions);
  command.flag("--json", command->json, "as JSON");
  command.flag("--prometheus", command->prometheus,
               "as gauges for Prometheus, such as node_exporter's textfile collector reads");
  command.color();
  command.flag("--watch", command->watch, "a live table");
  command.state_dir();
  command.footer(
      "Below a session with an open dialog are its question and the command that answers it.\n"
      "A session of -d that failed, or whose host died without a word, is errored, and below it\n"
      "stands why; orch kill and orch gc (after its --keep) remove it. MANAGER says what holds\n"
      "its agent's terminal.\n\n"
      "Examples:\n  orch sessions\n  orch sessions --json | jq -r '.[].status'");
}

}  // namespace orch::cli
