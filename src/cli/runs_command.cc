#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/paths.h"
#include "cli/run_json.h"
#include "client/runs.h"
#include "ui/color.h"
#include "ui/elapsed.h"

namespace orch::cli {
namespace {

constexpr size_t kShownUnasked = 100;  // unless another number is asked for

struct RunsOptions {
  std::string issue, agent, status, since;
  std::optional<int> most;
  bool json = false, all_repositories = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

base::Result<client::RunFilter> filter_of(const RunsOptions& options) {
  client::RunFilter filter;
  filter.issue = options.issue;
  filter.agent = options.agent;
  if (!options.status.empty()) {
    filter.status = store::run_status_named(options.status);
    if (!filter.status) {
      return base::usage_error("--status " + options.status +
                               ": write starting, running, completed, failed or cancelled");
    }
  }
  if (!options.since.empty()) {
    const base::Result<int64_t> age = base::parse_age(options.since);
    if (!age) return age.error();
    filter.since = std::chrono::system_clock::now() - std::chrono::milliseconds(*age);
  }
  if (options.most && *options.most < 0) return base::usage_error("-n must be at least 0");
  // One more than are shown unasked, to know whether there are more.
  filter.most = options.most ? static_cast<size_t>(*options.most) : kShownUnasked + 1;
  if (options.all_repositories) filter.reach = client::Reach::kEverywhere;
  return filter;
}

std::string tokens_of(const store::RunRecord& record) {
  return record.verdict && record.verdict->usage ? event::tokens_text(*record.verdict->usage) : "-";
}

std::string table(const std::vector<client::RunView>& runs, const RunsOptions& options) {
  using std::chrono::milliseconds;
  const bool in_color = ui::wants_color(options.color, STDOUT_FILENO);
  const store::TimePoint now = std::chrono::system_clock::now();
  const auto row = [&options](const std::string& run, const std::string& issue,
                              const std::string& agent, const std::string& state,
                              const std::string& turns, const std::string& tokens,
                              const std::string& age, const std::string& duration,
                              const std::string& repository, const std::string& trouble) {
    return fmt::format("{:<32} {:<12} {:<10} {} {:>5} {:>7} {:>8} {:>8}{}{}\n", run, issue, agent,
                       state, turns, tokens, age, duration,
                       options.all_repositories ? "  " + repository : "",
                       trouble.empty() ? "" : "  " + base::printable(trouble));
  };
  std::string text = row("RUN", "ISSUE", "AGENT", fmt::format("{:<22}", "STATUS"), "TURNS",
                         "TOKENS", "AGE", "DURATION", "REPOSITORY", "");
  for (const client::RunView& run : runs) {
    const store::RunRecord& record = run.record;
    const std::string state = client::state_text(run);
    const bool readable = run.unreadable.empty();
    const auto began = readable ? store::parse_rfc3339_utc(record.started).value_or(now)
                                : time_in_name(run.folder);
    // A clock that was set back may call it later than now.
    const auto age =
        std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(now - began));
    const ui::Color color = readable ? color_of(record.status) : ui::Color::kRed;
    text += row(
        record.id, record.issue, record.agent.empty() ? "-" : base::printable(record.agent),
        ui::colored(fmt::format("{:<22}", state), color, in_color),
        record.verdict ? std::to_string(record.verdict->turns) : "-", tokens_of(record),
        ui::elapsed_text(age.count()),
        run.host_died || !readable ? "-" : ui::elapsed_text(client::duration_of(run, now).count()),
        record.repository.empty() ? "-" : base::printable(record.repository), run.unreadable);
  }
  return text;
}

int runs(const RunsOptions& options) {
  const base::Result<client::Place> place = place_of(options.state_dir);
  if (!place) return report(place.error());
  const base::Result<client::RunFilter> filter = filter_of(options);
  if (!filter) return report(filter.error());
  std::vector<client::RunView> found = client::list_runs(*place, *filter);
  if (!options.most && found.size() > kShownUnasked) {
    found.pop_back();
    std::fprintf(stderr, "orch: the newest %zu; -n 0 shows all\n", found.size());
  }
  if (!options.json) {
    std::fputs(table(found, options).c_str(), stdout);
    return 0;
  }
  base::Json list = base::Json::array();
  for (const client::RunView& run : found) list.push_back(run_json(run));
  std::fputs(base::json_text(list).c_str(), stdout);
  return 0;
}

}  // namespace

void add_runs_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("runs", "the runs of this repository, the newest first");
  auto options = std::make_shared<RunsOptions>();
  command->add_option("--issue", options->issue, "of this issue alone");
  command->add_option("--agent", options->agent, "with this agent alone");
  command->add_option("--status", options->status,
                      "starting, running, completed, failed or cancelled");
  command->add_option("--since", options->since, "begun no longer ago than this: 90m, 24h, 7d");
  command->add_option("-n", options->most, "the newest N alone; 0: all (default: 100)");
  command->add_flag("--json", options->json, "as JSON");
  command->add_flag("--all-repositories", options->all_repositories,
                    "every run of this state directory");
  add_color_option(*command, options->color);
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer(
      "A run whose orch died has failed, whatever its files say; one whose record cannot be read\n"
      "is unreadable, and the reason stands behind it. orch show has all of one run,\n"
      "orch retry asks for the same again, orch continue goes on with it.\n\n"
      "Examples:\n  orch runs --status failed --since 24h\n"
      "  orch runs --issue 42 -n 1 --json | jq -r '.[0].id'");
  command->callback([options, &chosen] { chosen = [options] { return runs(*options); }; });
}

}  // namespace orch::cli
