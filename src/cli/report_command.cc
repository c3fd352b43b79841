#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "ci/run_report.h"
#include "cli/new_command.h"
#include "cli/runs_summary.h"
#include "mask/text.h"
#include "setup/paths.h"
#include "setup/run_secrets.h"
#include "store/folder.h"
#include "store/output.h"
#include "store/since.h"
#include "store/state_file.h"
#include "ui/elapsed.h"

namespace orch::cli {
namespace {

struct ReportOptions {
  ci::ReportedRun run;
  std::string output, since;
  bool all = false, all_repositories = false;
};

constexpr size_t kMostRunsOfPage = 200;  // in the page of all

constexpr std::chrono::seconds kPagesTime{5};  // for the pages of the runs of that page

int write_page(const std::string& page, const std::string& path) {
  if (path == "-") {
    std::fwrite(page.data(), 1, page.size(), stdout);
    return 0;
  }
  if (base::Status s = store::write_output(path, page); !s) return report(s.error());
  std::printf("%s\n", base::printable(path).c_str());
  return 0;
}

// Makes the reports of the runs that have none yet, the newest first, as many as the time allows,
// and notes their places. `beside`: the summary is written to the state directory.
void add_pages(std::vector<report::SummaryRow>& rows, const client::Place& place, bool beside,
               const std::shared_ptr<const mask::Secrets>& secrets) {
  const auto end = std::chrono::steady_clock::now() + kPagesTime;
  for (report::SummaryRow& row : rows) {
    if (row.is_task) continue;
    const std::string from_page = "runs/" + row.run + "/report.html";
    const std::string path = place.state_dir + "/" + from_page;
    if (store::is_absent(path)) {
      const bool has_ended = row.standing.phase == report::Standing::Phase::kEnded;
      if (!has_ended || std::chrono::steady_clock::now() > end) continue;
      const base::Result<ci::GatheredReport> gathered = ci::gather_report(
          {.name = row.run, .agent = {}, .state_dir = place.state_dir, .secrets = secrets});
      if (!gathered || !store::write_output(path, report::page_of(gathered->report))) continue;
    }
    row.page = beside ? from_page : path;
  }
}

// The page of many runs. It lies in the state directory unless another place is named, so that it
// does not litter the work folder.
int write_summary(const ReportOptions& options) {
  const base::Result<client::Place> place = setup::place_of(options.run.state_dir);
  if (!place) return report(place.error());
  const auto now = std::chrono::system_clock::now();
  client::RunFilter filter;
  filter.most = kMostRunsOfPage;
  if (options.all_repositories) filter.reach = client::Reach::kEverywhere;
  report::Summary summary;
  summary.title = "Runs of " + (options.all_repositories ? "all repositories" : place->repository);
  if (!options.since.empty()) {
    const base::Result<store::TimePoint> since = store::moment_of(options.since, now);
    if (!since) return report(base::usage_error("--since " + since.error().text));
    filter.since = *since;
    summary.title += " since " + ui::local_time_text(store::rfc3339_utc(*since));
  }
  summary.made_at = ui::local_time_text(store::rfc3339_utc(now));
  base::Result<std::vector<report::SummaryRow>> rows = summary_rows(*place, filter);
  if (!rows) return report(rows.error());
  summary.rows = std::move(rows).value();
  const auto secrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  add_pages(summary.rows, *place, options.output.empty(), secrets);
  const std::string page = mask::masked(secrets, report::page_of(summary));
  if (!options.output.empty()) return write_page(page, options.output);
  if (base::Status s = store::create_folders(place->state_dir); !s) {
    return report(s.error());
  }
  return write_page(page, place->state_dir + "/summary.html");
}

// The page of a run lies in the run's folder, so that it does not litter the work folder.
std::string place_of_page(const ci::GatheredReport& gathered) {
  if (!gathered.folder.empty()) return gathered.folder + "/report.html";
  return "orch-report-" + gathered.stem + ".html";
}

int write_report(const ReportOptions& options) {
  if (options.all && !options.run.name.empty()) {
    return report(base::usage_error("--all is about all runs: leave out " +
                                    base::printable(options.run.name)));
  }
  if (options.all) return write_summary(options);
  if (!options.since.empty() || options.all_repositories) {
    return report(base::usage_error("--since and --all-repositories go with --all"));
  }
  ci::ReportedRun run = options.run;
  run.secrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  const base::Result<ci::GatheredReport> gathered = ci::gather_report(run);
  if (!gathered) return report(gathered.error());
  return write_page(report::page_of(gathered->report),
                    options.output.empty() ? place_of_page(*gathered) : options.output);
}

}  // namespace

void add_report_command(CLI::App& app, Chosen& chosen) {
  CommandWith<ReportOptions> command(
      app, chosen, "report",
      "one HTML page of a run: words, dialogs, changed files, and the screen at each moment",
      write_report);
  command.option("run", command->run.name,
                 "a run, an issue, a run's folder or an asciicast file (default: the newest "
                 "run of this repository)");
  command.option("-o,--output", command->output,
                 "the file to write, - for standard output (default: report.html in the run's "
                 "folder, whose path is printed; of a recording orch-report-<name>.html here; "
                 "with --all summary.html in the state directory)");
  command.flag("--all", command->all,
               "one page of all runs of this repository: verdicts, changes, checks, and what "
               "to do next");
  command.option("--since", command->since,
                 "with --all: begun since then: 12h, 3d, 1w, yesterday, 2026-11-27");
  command.flag("--all-repositories", command->all_repositories,
               "with --all: every run of this state directory");
  command.option("--agent", command->run.agent,
                 "which agent a recording without a run shows (default: as it says itself)");
  command.option("--state-dir", command->run.state_dir, "where runs are kept");
  command.footer(
      "The page needs nothing but itself: no network, no other files. It shows what the agent\n"
      "showed and said; look at it before you pass it on.\n"
      "In it: arrows change by change, with shift status by status, home and end, space plays,\n"
      "/ finds words; #t=12.3 behind its address is a moment.\n\n"
      "Examples:\n  orch report 42\n  orch report 42 -o - | ssh web 'cat > 42.html'\n"
      "  orch report --agent claude try.cast -o try.html\n"
      "  orch report --all --since yesterday");
}

}  // namespace orch::cli
