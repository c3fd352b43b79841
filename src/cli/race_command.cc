// orch race: the same issue for several agents, of which the best wins.
#include <array>
#include <cstdio>
#include <string>

#include "base/text.h"
#include "cli/issue_source.h"
#include "cli/new_command.h"
#include "cli/race.h"
#include "cli/run_command.h"
#include "cli/run_option_words.h"
#include "event/exit_reason.h"
#include "options/first_words.h"
#include "setup/agents.h"
#include "setup/paths.h"
#include "setup/repository.h"
#include "setup/run_setup.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;

// Options of `orch run` without a meaning here: the race sets them, or shows no single run.
constexpr auto kNotInARace = std::to_array<std::string_view>(
    {"--agent", "--model", "--detach", "--worktree", "--shared-folder", "--container", "--output",
     "--live", "--jobs", "--artifacts", "--session-manager", "--keep"});

Status check(const RaceOptions& options) {
  if (options.request.issues.size() != 1) return base::usage_error("orch race takes one issue");
  const auto racers = issue::racers_of(options.request.issues.front(), options.agents);
  if (!racers) return racers.error();
  for (const std::string& pattern : options.protect) {
    if (pattern.empty() || pattern.front() == ':' || pattern.front() == '/') {
      return base::usage_error("--protect " + base::printable(pattern) +
                               ": write a path of the repository, like tests or '*_test.py'");
    }
  }
  return base::Ok{};
}

// The text of the issue; "": each run finds its own, as for the demo agent.
Result<std::string> prompt_of(options::RunRequest& request) {
  if (request.prompt && *request.prompt != "-") return *request.prompt;
  if (request.prompt) request.prompt_file = "-";
  if (!request.prompt_file.empty()) return setup::read_prompt(request);
  const std::string& issue = request.issues.front();
  if (const auto found = request.issue_texts.find(issue); found != request.issue_texts.end()) {
    return found->second;
  }
  const Result<std::string> folder = setup::resolve_folder(request.cwd);
  if (!folder) return folder.error();
  Result<std::string> text =
      setup::read_brought(setup::repository_of(*folder), setup::issue_file(issue));
  if (!text && text.error().code == base::ErrorCode::kNotFound) return std::string();
  return text;
}

void show(const issue::RaceRecord& race) {
  if (race.winner.empty()) {
    std::fprintf(stderr, "orch: race of %s: no agent can win, and the base stays as it is\n",
                 race.issue.c_str());
    return;
  }
  std::fprintf(stderr, "orch: race of %s: %s wins: orch land %s\n", race.issue.c_str(),
               race.winner.c_str(), race.issue.c_str());
  std::printf("%s\n", race.winner.c_str());
}

int race(RaceOptions& options, const client::Place& here) {
  const CLI::App& command = *options.given_by;
  options.agents = options::split_list(options.agents);
  options.protect = options::split_list(options.protect);
  if (Status s = check(options); !s) return report(s.error());
  if (Status s = complete_request(command, options.request); !s) return report(s.error());
  const std::set<std::string> given = given_options(command);
  if (Status s = take_issues(given, options.request); !s) return report_forge(s.error());
  const Result<std::string> prompt = prompt_of(options.request);
  if (!prompt) return report(prompt.error());
  const Result<std::string> folder = setup::resolve_folder(options.request.cwd);
  if (!folder) return report(folder.error());
  client::Place place = here;
  place.folder = *folder;
  place.repository = setup::repository_of(*folder);
  const Result<adapters::Registry> known = setup::load_agents(place.repository);
  if (!known) return report(known.error());
  if (Status s = setup::check_agents(*known, options.agents); !s) return report(s.error());
  if (options.request.verify.empty()) {
    std::fprintf(stderr, "orch: without --verify an agent's own word is all that counts\n");
  }
  const Result<issue::RaceRecord> record = run_race(options, place, *prompt, given);
  if (!record) return report(record.error());
  show(*record);
  if (options.json) std::printf("%s", issue::to_json(*record).c_str());
  return record->winner.empty() ? event::exit_code(event::ExitReason::kGateFailed) : 0;
}

}  // namespace

void add_race_command(CLI::App& app, Chosen& chosen) {
  CommandWith<RaceOptions> command(
      app, chosen, "race", "the same issue for several agents; the smallest good work wins",
      [](RaceOptions& options) {
        return at_place(options.request.state_dir,
                        [&options](const client::Place& place) { return race(options, place); });
      });
  command->given_by = &command.app();
  command.option("issue", command->request.issues, "the issue, as for orch run").required();
  command
      .option("--agents", command->agents,
              "who races: claude,codex,claude:opus (AGENT or AGENT:MODEL)")
      .one_word()
      .required();
  command
      .option(
          "--protect", command->protect,
          "paths of which the gates run with the base's copies: folders, files, patterns of git")
      .one_word()
      .type_name("PATH,...");
  command.flag("--first", command->first, "the first eligible agent wins, and stops the others");
  command.flag("--json", command->json, "the results as JSON");
  add_run_options(command, options::Also::kNone, command->request, kNotInARace);
  command.footer(
      "Each agent works in <repository>.orch/ISSUE-AGENT, from the commit that is checked out.\n"
      "docs/land.md says who can win. orch land ISSUE takes the winner; the others' branches stay\n"
      "until orch gc. Exit codes: 0 an agent won, and its name is printed; 2 usage; 20 none can\n"
      "win; 75 the forge did not answer.\n\n"
      "Examples:\n"
      "  orch race 42 --agents claude,codex --verify \"make test\" --protect tests\n"
      "  orch race 42 --agents claude,claude:opus --first --timeout 1h\n"
      "  orch land 42");
}

}  // namespace orch::cli
