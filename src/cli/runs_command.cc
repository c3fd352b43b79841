#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "cli/run_color.h"
#include "cli/runs_summary.h"
#include "cli/standing.h"
#include "client/runs.h"
#include "store/since.h"
#include "ui/color.h"
#include "ui/elapsed.h"
#include "ui/table.h"

namespace orch::cli {
namespace {

constexpr size_t kShownUnasked = 100;  // how many runs are shown without -n

struct RunsOptions {
  std::string issue, agent, state, since;
  std::optional<int> most;
  bool json = false, all_repositories = false, summary = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

base::Result<client::RunFilter> filter_of(const RunsOptions& options) {
  client::RunFilter filter;
  filter.issue = options.issue;
  filter.agent = options.agent;
  if (!options.state.empty()) {
    filter.status = store::run_status_named(options.state);
    if (!filter.status) {
      return base::usage_error("--state " + base::printable(options.state) +
                               ": write starting, running, completed, failed or cancelled");
    }
  }
  if (!options.since.empty()) {
    const base::Result<store::TimePoint> since =
        store::moment_of(options.since, std::chrono::system_clock::now());
    if (!since) return base::usage_error("--since " + since.error().text);
    filter.since = *since;
  }
  if (options.most && *options.most < 0) return base::usage_error("-n must be at least 0");
  // Without -n one more is read than shown, to know whether there are more.
  filter.most = options.most ? static_cast<size_t>(*options.most) : kShownUnasked + 1;
  if (options.all_repositories) filter.reach = client::Reach::kEverywhere;
  return filter;
}

std::string tokens_of(const store::RunRecord& record) {
  return record.verdict && record.verdict->usage ? event::tokens_text(*record.verdict->usage) : "";
}

// Takes the runs one by one as they are found, because there may be very many.
class RunPrinter {
 public:
  virtual ~RunPrinter() = default;
  virtual void print(const client::RunView& run) = 0;
  virtual void end() = 0;
};

class TablePrinter final : public RunPrinter {
 public:
  explicit TablePrinter(const RunsOptions& options)
      : in_color_(ui::wants_color(options.color, STDOUT_FILENO)),
        with_repository_(options.all_repositories),
        table_(columns(with_repository_)) {}

  void print(const client::RunView& run) override {
    using std::chrono::milliseconds;
    const store::TimePoint now = std::chrono::system_clock::now();
    const store::RunRecord& record = run.record;
    const bool readable = run.unreadable.empty();
    const auto began = readable ? store::parse_rfc3339_utc(record.started).value_or(now)
                                : time_in_name(run.folder);
    // If the clock was set back, the start may be later than now.
    const auto age =
        std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(now - began));
    const bool lasts = readable && !run.host_died;
    std::vector<ui::Table::Cell> cells{
        {record.id},
        {record.issue},
        {record.agent},
        {client::state_text(run), readable ? color_of(record.status) : ui::Color::kRed},
        {record.verdict ? std::to_string(record.verdict->turns) : ""},
        {tokens_of(record)},
        {ui::elapsed_text(age.count())},
        {lasts ? ui::elapsed_text(client::duration_of(run, now).count()) : ""}};
    if (with_repository_) cells.push_back({record.repository});
    table_.add(std::move(cells), readable ? "" : "  ! " + base::printable(run.unreadable) + "\n");
  }

  void end() override { std::fputs(table_.text(ui::window_columns(), in_color_).c_str(), stdout); }

 private:
  static std::vector<ui::Table::Column> columns(bool with_repository) {
    constexpr int kAlways = ui::Table::kAlways;
    std::vector<ui::Table::Column> columns{
        {"RUN", kAlways},   {"ISSUE", 4},        {"AGENT", 3},     {"STATUS", kAlways},
        {"TURNS", 1, true}, {"TOKENS", 0, true}, {"AGE", 5, true}, {"DURATION", 2, true}};
    if (with_repository) columns.push_back({"REPOSITORY", 6});
    return columns;
  }

  bool in_color_, with_repository_;
  ui::Table table_;
};

// Prints one JSON array, formatted as base::json_text() does.
class JsonPrinter final : public RunPrinter {
 public:
  void print(const client::RunView& run) override {
    base::Json alone = base::Json::array();
    alone.push_back(run_json(run));
    const std::string text = base::json_text(alone);
    constexpr std::string_view kOpen = "[\n", kClose = "\n]\n";
    std::fputs(std::exchange(any_, true) ? ",\n" : "[\n", stdout);
    std::fwrite(text.data() + kOpen.size(), 1, text.size() - kOpen.size() - kClose.size(), stdout);
  }
  void end() override { std::fputs(any_ ? "\n]\n" : "[]\n", stdout); }

 private:
  bool any_ = false;
};

int summary(const client::Place& place, client::RunFilter filter, const RunsOptions& options) {
  if (!options.most) filter.most = kShownUnasked;
  if (options.json) {
    const base::Result<base::Json> json = summary_json(place, filter);
    if (!json) return report(json.error());
    std::fputs(base::json_text(*json).c_str(), stdout);
    return 0;
  }
  const base::Result<std::vector<report::SummaryRow>> found = summary_rows(place, filter);
  if (!found) return report(found.error());
  const std::vector<report::SummaryRow>& rows = *found;
  const bool in_color = ui::wants_color(options.color, STDOUT_FILENO);
  std::fputs(summary_text(rows, in_color).c_str(), stdout);
  std::map<std::string_view, int> uncounted;  // runs, by reason
  for (const report::SummaryRow& row : rows) {
    if (!row.no_changes_why.empty()) ++uncounted[row.no_changes_why];
  }
  for (const auto& [why, count] : uncounted) {
    std::fprintf(stderr, "orch: changes not counted (%d %s): %s\n", count,
                 count == 1 ? "run" : "runs", base::printable(why).c_str());
  }
  return 0;
}

int runs(const RunsOptions& options, const client::Place& place) {
  const base::Result<client::RunFilter> filter = filter_of(options);
  if (!filter) return report(filter.error());
  if (options.summary) return summary(place, *filter, options);
  const std::unique_ptr<RunPrinter> printer =
      options.json ? std::unique_ptr<RunPrinter>(std::make_unique<JsonPrinter>())
                   : std::make_unique<TablePrinter>(options);
  size_t found = 0;
  const base::Status all = client::each_run(place, *filter, [&](const client::RunView& run) {
    if (options.most || found < kShownUnasked) printer->print(run);
    ++found;
  });
  if (!all) return report(all.error());
  printer->end();
  if (found == 0 && !options.json && ::isatty(STDOUT_FILENO) != 0) {
    std::fputs("orch: no such run in this repository; begin with: orch run \"fix the bug\"\n",
               stderr);
  }
  if (!options.most && found > kShownUnasked) {
    std::fprintf(stderr, "orch: the newest %zu; -n 0 shows all\n", kShownUnasked);
  }
  return 0;
}

}  // namespace

void add_runs_command(CLI::App& app, Chosen& chosen) {
  CommandWith<RunsOptions> command(app, chosen, "runs",
                                   "the runs of this repository, the newest first", runs);
  command.option("--issue", command->issue, "of this issue alone");
  command.option("--agent", command->agent, "with this agent alone");
  command.option("--state,--status", command->state,
                 "starting, running, completed, failed or cancelled");
  command.option("--since", command->since,
                 "begun since then: 12h, 3d, 1w, today, yesterday, 2026-11-27");
  command.flag("--summary", command->summary, "what each changed, its checks, and what to do next");
  command.option("-n", command->most, "the newest N alone; 0: all (default: 100)");
  command.flag("--json", command->json, "as JSON");
  command.flag("--all-repositories", command->all_repositories,
               "every run of this state directory");
  command.color();
  command.state_dir();
  command.footer(
      "A run whose orch died has failed, whatever its files say; one whose record cannot be read\n"
      "is unreadable, and the reason stands below it. orch show has all of one run,\n"
      "orch retry asks for the same again, orch continue goes on with it.\n\n"
      "--summary shows the files and lines that differ from before the run (orch diff), the "
      "--verify commands that passed, and, for a run that did not complete, the agent's last words "
      "and the next command.\n\n"
      "Examples:\n  orch runs --state failed --since 24h\n"
      "  orch runs --summary --since yesterday\n"
      "  orch runs --issue 42 -n 1 --json | jq -r '.[0].run'");
}

}  // namespace orch::cli
