// orch land: brings the work of an issue home.
#include <cstdio>
#include <string>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/landing.h"
#include "cli/new_command.h"
#include "store/run_checks_fields.h"

namespace orch::cli {
namespace {

base::Json json_of(const Landed& landed) {
  base::Json gates = base::Json::array();
  for (const store::GateRun& gate : landed.gates) {
    gates.push_back(base::object_of(gate, store::kGateFields));
  }
  return {
      {"issue", landed.issue},
      {"result", landed.state},
      {"code", landed.code},
      {"detail", landed.detail},
      {"branch", base::or_null(landed.branch)},
      {"base", base::or_null(landed.base)},
      {"commit", base::or_null(landed.commit)},
      {"pull_request", landed.pull_request > 0 ? base::Json(landed.pull_request) : base::Json()},
      {"url", base::or_null(landed.url)},
      {"gates", gates}};
}

// The URL, or the commit of a local merge, on standard output; how it went on standard error.
void show(const Landed& landed) {
  std::fprintf(stderr, "orch: issue %s: %s: %s\n", base::printable(landed.issue).c_str(),
               landed.state.c_str(), base::printable(landed.detail).c_str());
  if (landed.code != 0 || landed.state == "planned") return;
  const std::string& what = landed.url.empty() ? landed.commit : landed.url;
  std::printf("%s\n", base::printable(what).c_str());
}

int land(const LandOptions& options, const client::Place& place) {
  int code = 0;
  base::Json all = base::Json::array();
  for (const std::string& issue : options.issues) {
    const Landed landed = land_issue(options, place, issue);
    if (options.json) {
      all.push_back(json_of(landed));
    } else {
      show(landed);
    }
    if (landed.code != 0 && code == 0) code = landed.code;
    if (landed.code != 0 && !options.keep_going) break;
  }
  if (options.json) std::printf("%s", base::json_text(all).c_str());
  return code;
}

}  // namespace

void add_land_command(CLI::App& app, Chosen& chosen) {
  CommandWith<LandOptions> command(app, chosen, "land",
                                   "commit, rebase, verify and publish the work of an issue", land);
  command.option("issue", command->issues, "the issues, one after the other").required();
  command.flag("--pr{false},--merge", command->merge,
               "--pr (default): push the issue's branch and open or update a draft pull "
               "request; --merge: move the local base branch forward");
  command
      .option("--base", command->base, "the branch to land on (default: the one the run began on)")
      .type_name("BRANCH");
  command
      .option("--remote", command->remote,
              "the remote that the branch is pushed to (default: origin, or the one that "
              "git pushes to)")
      .type_name("REMOTE");
  command.flag("--merge-commit", command->merge_commit,
               "merge the base into the branch instead of rebasing");
  command.option("-m,--message", command->message,
                 "of the commit of what is not committed (default: the issue's title)");
  command
      .option("--allow-file", command->allow_files,
              "land this file although it is large or looks like a secret; may be repeated")
      .type_name("PATH");
  command.flag("--anyway", command->anyway, "also a run that did not complete");
  command.flag("--keep-going", command->keep_going,
               "of several issues: go on after one that does not land");
  command.flag("-n,--dry-run", command->dry_run, "only say what would be done");
  command.flag("--json", command->json, "the results as JSON");
  command.state_dir();
  command.footer(
      "Commits what is not committed, brings orch/ISSUE onto the newest base, runs the gates "
      "again,\n"
      "and publishes the result: docs/land.md. Prints the pull request's URL, or the commit.\n\n"
      "Exit codes: 0 landed; 2 usage; 4 the run does not exist; 10 a conflict, or a file to look "
      "at;\n"
      "20 a gate failed, or the run did not complete; 21 nothing to land; 75 the forge or the\n"
      "network did not answer, try again.\n\n"
      "Examples:\n"
      "  orch run 42 --verify \"make test\" && orch land 42\n"
      "  orch land 42 --dry-run\n"
      "  orch land 41 42 43 --merge --keep-going");
}

}  // namespace orch::cli
