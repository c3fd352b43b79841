// orch diff: shows a run's changes.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "client/run_diff.h"
#include "mask/text.h"
#include "setup/run_secrets.h"
#include "store/output.h"
#include "ui/painted_diff.h"
#include "ui/user_terminal.h"

namespace orch::cli {
namespace {

constexpr int kPipeColumns = 80;

struct DiffOptions {
  std::string run, output;
  bool stat = false, json = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

int columns() {
  const std::optional<term::Size> size = ui::terminal_size();
  return size ? static_cast<int>(size->cols) : kPipeColumns;
}

void say(const std::string& line) { std::fprintf(stderr, "orch: %s\n", line.c_str()); }

// Covers secrets, as in all of orch's output. git apply does not take a patch with stars in it, so
// this prints a warning.
std::string masked(const std::string& text) {
  const auto secrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  std::string covered = mask::masked(secrets, text);
  if (covered != text) say("secrets are covered by ***; where one is, git apply refuses the patch");
  return covered;
}

bool is_file(const DiffOptions& options) {
  return !options.output.empty() && options.output != "-";
}

// Whether it is for eyes: harmless, and without the content of binary files.
bool is_shown(const DiffOptions& options) {
  return !is_file(options) &&
         (ui::wants_color(options.color, STDOUT_FILENO) || ::isatty(STDOUT_FILENO) != 0);
}

// Writes git's output: harmless and perhaps in colours to a terminal, otherwise byte for byte.
int write(const DiffOptions& options, const std::string& text) {
  if (is_file(options)) {
    const base::Status written = store::write_output(options.output, text);
    return written ? 0 : report(written.error());
  }
  const bool in_color = ui::wants_color(options.color, STDOUT_FILENO);
  const std::string out =
      is_shown(options) ? ui::painted_diff(text, in_color && !options.stat) : text;
  std::fwrite(out.data(), 1, out.size(), stdout);
  return 0;
}

int write_json(const std::vector<client::RunView>& runs, const client::RunDiff& told) {
  const base::Result<repo::DiffCount> count = told.diff.count();
  if (!count) return report(count.error());
  base::Json ids = base::Json::array();
  for (const client::RunView& run : runs) ids.push_back(run.record.id);
  const client::RunView& run = runs.back();
  const base::Json json = {
      {"run", run.record.id},        {"issue", run.record.issue}, {"runs", ids},
      {"compared_with", told.after}, {"files", count->files},     {"added", count->added},
      {"removed", count->removed},   {"notes", told.diff.notes()}};
  std::printf("%s", base::json_text(json).c_str());
  return 0;
}

int diff(const DiffOptions& options, const client::Place& place) {
  const base::Result<client::Found> found = client::find_shown(place, options.run);
  if (!found) return report_no_session(found.error());
  const base::Result<client::RunView> run = client::view_run(place.state_dir, found->run);
  if (!run) return report(run.error());
  std::vector<repo::FileIdentity> own_files;
  if (const auto file = repo::file_identity_from(repo::file_identity(STDOUT_FILENO))) {
    own_files.push_back(*file);
  }
  base::Result<std::vector<client::RunView>> runs =
      run->record.id == options.run ? std::vector<client::RunView>{*run}
                                    : client::runs_of_issue(place.state_dir, *run);
  if (!runs) return report(runs.error());
  const base::Result<client::RunDiff> told =
      client::diff_of_issue(place.state_dir, *runs, own_files);
  if (!told) return report_no_session(told.error());
  if (options.json) return write_json(*runs, *told);
  const base::Result<std::string> exact = options.stat        ? told->diff.stat(columns())
                                          : is_shown(options) ? told->diff.patch()
                                                              : told->diff.whole_patch();
  if (!exact) return report(exact.error());
  for (const std::string& note : told->diff.notes()) say(note);
  const std::string text = masked(*exact);
  if (text.empty() && told->diff.notes().empty()) {
    say((runs->size() == 1 ? "run " + base::printable(run->record.id)
                           : "issue " + base::printable(run->record.issue)) +
        " changed no file that git does not ignore");
  } else if (told->after != "what is there now" && told->after != client::kItsEnd) {
    say("compared with " + base::printable(told->after));
  }
  return write(options, text);
}

}  // namespace

void add_diff_command(CLI::App& app, Chosen& chosen) {
  CommandWith<DiffOptions> command(app, chosen, "diff", "a run's changes, as a unified diff", diff);
  command.option("run", command->run,
                 "an issue: all its runs in its folder since it began; or a run's id (default: "
                 "the issue of the newest run of this repository)");
  command.flag("--stat", command->stat, "a line for each file, with how many lines differ");
  command.option("-o,--output", command->output,
                 "the file to write, - for standard output (default)");
  command.flag("--json", command->json, "how many files and lines differ, as JSON");
  command.color();
  command.state_dir();
  command.footer(
      "Compares what was in the folder before the runs of the issue with their end; what changed\n"
      "there before, between or after them is left out. While a run is at work, or if it was "
      "killed,\n"
      "its end is what is there now, or when the next run began; of a worktree that is gone, its\n"
      "commits are compared. Files that git ignores are left out.\n"
      "In a pipe git apply takes it; on a terminal control characters are shown harmlessly. "
      "Secrets\n"
      "are covered. A file is written through no link that an agent may have made (exit code 2).\n"
      "Exit code 4: the run does not exist, or its changes are not known.\n\n"
      "Examples:\n  orch diff 42 --stat\n  orch diff 42 | git apply -R\n"
      "  orch diff 42 -o 42.patch");
}

}  // namespace orch::cli
