#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/json.h"
#include "cli/new_command.h"
#include "cli/standing.h"
#include "cli/top.h"
#include "cli/top_rows.h"
#include "client/sessions.h"
#include "setup/paths.h"
#include "ui/color.h"

namespace orch::cli {
namespace {

constexpr int64_t kTopPatienceMs = 1000;

struct TopOptions {
  bool json = false, here = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

int print_top(const client::Place& place, bool here) {
  const base::Result<std::vector<client::SessionView>> all =
      client::view_sessions(place.state_dir, kTopPatienceMs);
  if (!all) return report(all.error());
  std::vector<std::pair<ui::TopSession, base::Json>> rows;
  for (const client::SessionView& session : *all) {
    if (here && !client::is_here(place, session.record.repository, session.record.cwd)) continue;
    rows.emplace_back(top_row(session, 0, 0), session_json(session, place));
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return ui::is_more_urgent(a.first, b.first); });
  base::Json list = base::Json::array();
  for (auto& [row, json] : rows) list.push_back(std::move(json));
  std::fputs(base::json_text(list).c_str(), stdout);
  return 0;
}

int top_of(const TopOptions& options, const client::Place& place) {
  if (options.json) return print_top(place, options.here);
  if (!ui::UserTerminal::is_ours()) {
    return report(base::usage_error(
        "orch top needs a terminal on which it can draw; use orch top --json in a script"));
  }
  const base::Result<std::string> program = setup::own_path();
  if (!program) return report(program.error());
  Top::Plan plan;
  plan.place = place;
  plan.here = options.here;
  const bool in_color = ui::wants_color(options.color, STDOUT_FILENO);
  plan.ink = in_color ? ui::Ink::kColors : ui::Ink::kMonochrome;
  plan.attach = [program = *program, state_dir = place.state_dir](const std::string& key) {
    return std::vector<std::string>{program, "attach", key, "--state-dir", state_dir};
  };
  return Top(std::move(plan)).run();
}

}  // namespace

std::optional<int> run_top_alone() {
  if (!ui::UserTerminal::is_ours()) return std::nullopt;
  return at_place(std::nullopt, [](const client::Place& place) { return top_of({}, place); });
}

void add_top_command(CLI::App& app, Chosen& chosen) {
  CommandWith<TopOptions> command(app, chosen, "top",
                                  "every session at a glance, on the whole terminal", top_of);
  command.flag("--json", command->json, "print how they stand, once");
  command.flag("--here", command->here, "the sessions of this repository alone");
  command.color();
  command.state_dir();
  command.footer(
      "Who needs you comes first: waiting at a dialog, then error, idle, working, done. orch "
      "alone\n"
      "does the same.\n\n"
      "Keys:\n"
      "  up, down, wheel   select a session; j and Ctrl-N, Ctrl-P, too\n"
      "  Enter, 2 clicks   attach to it\n"
      "  y, n, 1 to 9      answer the dialog that it shows: yes, no, or this option\n"
      "  x                 kill it; asks first\n"
      "  /                 show only what has these letters; Escape shows all again\n"
      "  ?                 the keys\n"
      "  q, Ctrl-C         leave\n\n"
      "Examples:\n  orch top\n  orch top --here\n"
      "  orch top --json | jq -r '.[] | select(.dialog) | .session'");
}

}  // namespace orch::cli
