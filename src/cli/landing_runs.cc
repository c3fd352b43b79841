// The runs of an issue, and the forge on which their work lands.
#include <algorithm>
#include <string>
#include <vector>

#include "cli/issue_source.h"
#include "cli/landing.h"
#include "client/runs.h"
#include "forge/repository_name.h"
#include "issue/race.h"
#include "store/run_record.h"
#include "store/session_file.h"
#include "store/time_text.h"

namespace orch::cli {

using base::Result;
using base::Status;

namespace {

// The newest race of the issue that has ended, unless the issue was run by itself since.
store::Found<issue::RaceRecord> race_of(const client::Place& place, const std::string& issue) {
  const std::string key = store::session_key(issue, place.repository);
  store::Found<issue::RaceRecord> race =
      issue::read_race(issue::race_files(place.state_dir, key).record);
  if (!race.is_present()) return race;
  bool is_newest = !race->ended.empty();
  client::RunFilter filter;
  filter.issue = issue;
  filter.since = store::parse_rfc3339_utc(race->ended);
  filter.most = 1;
  const Status all =
      client::each_run(place, filter, [&is_newest](const client::RunView&) { is_newest = false; });
  if (!all) return all.error();
  return is_newest ? std::move(race) : store::Found<issue::RaceRecord>::absent();
}

Result<IssueRuns> own_runs_of(const client::Place& place, const std::string& issue) {
  std::vector<client::RunView> found;
  client::RunFilter filter;
  filter.issue = issue;
  std::string unreadable;
  const Status all = client::each_run(place, filter, [&](const client::RunView& run) {
    if (run.unreadable.empty()) {
      found.push_back(run);
    } else if (found.empty()) {
      unreadable = run.unreadable;
    }
  });
  if (!all) return all.error();
  if (!unreadable.empty()) return base::usage_error("its newest run cannot be read: " + unreadable);
  if (found.empty()) {
    return base::Error{base::ErrorCode::kNotFound, "issue " + issue + " has no run here"};
  }
  if (!found.front().record.base) {
    return base::usage_error("issue " + issue + " was worked on in " + found.front().record.cwd +
                             ", which is no worktree of its own: commit there, or run it with "
                             "--worktree");
  }
  IssueRuns runs;
  // The runs that continue each other, from the newest back.
  std::string wanted = found.front().record.id;
  for (const client::RunView& run : found) {
    if (run.record.id != wanted) continue;
    runs.runs.push_back(run.record);
    runs.folders.push_back(run.folder.path);
    wanted = run.record.parent.value_or("");
  }
  std::reverse(runs.runs.begin(), runs.runs.end());
  std::reverse(runs.folders.begin(), runs.folders.end());
  const auto first = std::find_if(runs.runs.begin(), runs.runs.end(),
                                  [](const store::RunRecord& run) { return run.base.has_value(); });
  runs.base = *first->base;
  runs.key = store::session_key(issue, runs.newest().repository);
  runs.number = issue;
  return runs;
}

}  // namespace

Result<IssueRuns> runs_of_issue(const client::Place& place, const std::string& issue) {
  const store::Found<issue::RaceRecord> race = race_of(place, issue);
  if (race.is_unknown()) return race.error();
  if (race.is_absent()) return own_runs_of(place, issue);
  if (race->winner.empty()) {
    return base::Error{base::ErrorCode::kNotFound, "no agent won the race of issue " + issue};
  }
  Result<IssueRuns> runs = own_runs_of(place, race->winner);
  if (!runs) return runs;
  runs->number = issue;
  runs->base.issue_repository = race->issue_repository;
  return runs;
}

Result<ForgeOfIssue> forge_of(const IssueRuns& runs, const LandOptions& options) {
  const store::RunBase& base = runs.base;
  ForgeOfIssue on;
  on.push_url = base.push_url;
  if (!options.remote.empty()) {
    if (options.remote == base.remote) {
      on.push_url = base.url;
    } else if (options.remote != base.push) {
      return base::usage_error("--remote " + options.remote +
                               " was no remote when the run began: it knew " +
                               (base.remote.empty() ? "none" : base.remote + " and " + base.push));
    }
  }
  const auto project = forge::repository_of_url(base.url);
  const auto pushed = forge::repository_of_url(on.push_url);
  if (!project || !pushed) {
    return base::usage_error(
        "the repository has no remote on a forge: orch land --merge lands "
        "into the local branch");
  }
  on.project = *project;
  on.source = *pushed;
  if (base.issue_repository.empty()) return on;
  const auto origin = repository_of_text(base.issue_repository);
  if (!origin || (*origin != *project && *origin != *pushed)) {
    return base::usage_error("the issue is of " + base.issue_repository +
                             ", which is no remote of this repository");
  }
  on.project = *origin;
  on.number = runs.number;
  return on;
}

}  // namespace orch::cli
