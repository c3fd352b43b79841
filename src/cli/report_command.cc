#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/text.h"
#include "ci/run_report.h"
#include "cli/command.h"
#include "setup/run_secrets.h"
#include "store/atomic_file.h"

namespace orch::cli {
namespace {

struct ReportOptions {
  ci::ReportedRun run;
  std::string output;
};

int write_report(const ReportOptions& options) {
  ci::ReportedRun run = options.run;
  run.secrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  const base::Result<ci::GatheredReport> gathered = ci::gather_report(run);
  if (!gathered) return report(gathered.error());
  const std::string page = report::page_of(gathered->report);
  if (options.output == "-") {
    std::fwrite(page.data(), 1, page.size(), stdout);
    return 0;
  }
  const std::string path =
      options.output.empty() ? "orch-report-" + gathered->stem + ".html" : options.output;
  if (base::Status s = store::write_output(path, page); !s) return report(s.error());
  std::printf("%s\n", base::printable(path).c_str());
  return 0;
}

}  // namespace

void add_report_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "report", "one HTML page of a run: words, statuses, dialogs, and the screen at each moment");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("run", options->run.name,
                      "a run, an issue, a run's folder or an asciicast file (default: the newest "
                      "run of this repository)");
  command->add_option("-o,--output", options->output,
                      "the file to write, - for standard output (default: "
                      "orch-report-<run>.html here)");
  command->add_option("--agent", options->run.agent,
                      "which agent a recording without a run shows (default: as it says itself)");
  command->add_option("--state-dir", options->run.state_dir, "where runs are kept");
  command->footer(
      "The page needs nothing but itself: no network, no other files. It shows what the agent\n"
      "showed and said; look at it before you pass it on.\n"
      "In it: arrows change by change, with shift status by status, home and end, space plays,\n"
      "/ finds words; #t=12.3 behind its address is a moment.\n\n"
      "Examples:\n  orch report 42\n  orch report 42 -o - | ssh web 'cat > 42.html'\n"
      "  orch report --agent claude try.cast -o try.html");
  command->callback([options, &chosen] { chosen = [options] { return write_report(*options); }; });
}

}  // namespace orch::cli
