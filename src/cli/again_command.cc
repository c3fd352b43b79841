// orch retry and orch continue: start a new run whose parent is an old one.

#include <set>
#include <string>

#include "adapters/launch.h"
#include "cli/new_command.h"
#include "cli/run_command.h"
#include "cli/run_option_words.h"
#include "client/find.h"
#include "client/runs.h"
#include "setup/agents.h"
#include "setup/container_options.h"
#include "setup/paths.h"
#include "setup/recorded_request.h"

namespace orch::cli {
namespace {

using base::usage_error;

struct AgainOptions {
  std::string run;
  std::string text;  // the prompt of orch continue
  // The options of this command line. Those that are recorded count if the line has them; otherwise
  // they come from the old run's record.
  options::RunRequest anew;
  const CLI::App* given_by = nullptr;
};

// The request that the old run was started with; kNotFound if that run does not exist.
base::Result<options::RunRequest> request_of(const AgainOptions& again, store::RunRecord& record) {
  const base::Result<client::Place> place = setup::place_of(again.anew.state_dir);
  if (!place) return place.error();
  const base::Result<client::Found> found =
      client::find_run(*place, again.run, client::Reach::kHere);
  if (!found) return found.error();
  base::Result<client::RunView> run = client::view_run(place->state_dir, found->run);
  if (!run) return run.error();
  record = std::move(run->record);
  base::Result<options::RunRequest> request = setup::request_again(record);
  if (!request) return request;
  const std::set<std::string> given = given_options(*again.given_by);
  for (const options::RunOption& option : options::run_options()) {
    const bool counts = option.record == nullptr || given.contains(std::string(long_name(option)));
    if (stands_in(option, options::Also::kAgain) && counts) {
      copy_value(option, again.anew, *request);
    }
  }
  request->state_dir = place->state_dir;
  return request;
}

bool is_open(store::RunStatus status) {
  return status == store::RunStatus::kStarting || status == store::RunStatus::kRunning;
}

// Fills in the agent's own session, which the new run continues; an error if it cannot.
base::Status take_up(const store::RunRecord& record, options::RunRequest& request) {
  if (is_open(record.status)) {
    return usage_error("run " + record.id + " is not over; send it a message: orch send " +
                       record.issue);
  }
  const base::Result<std::string> cwd = setup::resolve_folder(request.cwd);
  if (!cwd) return cwd.error();
  const base::Result<adapters::Registry> agents = setup::load_agents(setup::repository_of(*cwd));
  if (!agents) return agents.error();
  const base::Result<const adapters::Manifest*> manifest = setup::find_agent(*agents, record.agent);
  if (!manifest) return manifest.error();
  base::Status resumes = base::Ok{};  // --mode acp: the agent itself says whether it can
  if (request.mode == "headless") resumes = adapters::check_resumes_headless(**manifest);
  if (request.mode == "interactive") resumes = adapters::check_resumes(**manifest);
  if (!resumes) return resumes;
  if (setup::wants_container(request) && request.container.empty()) {
    return usage_error("run " + record.id + " was in a container of its own, and " + record.agent +
                       "'s session went with it; orch retry begins anew");
  }
  if (record.agent_session.empty()) {
    return usage_error("run " + record.id + " does not know " + record.agent +
                       "'s own session, so nothing can go on with it; orch retry begins anew");
  }
  request.resume = record.agent_session;
  return base::Ok{};
}

int retry(const AgainOptions& again, setup::Diagnostics& diagnostics) {
  store::RunRecord record;
  base::Result<options::RunRequest> request = request_of(again, record);
  if (!request) return report_no_session(request.error());
  return start_run(*request, diagnostics);
}

int go_on(const AgainOptions& again, setup::Diagnostics& diagnostics) {
  store::RunRecord record;
  base::Result<options::RunRequest> request = request_of(again, record);
  if (!request) return report_no_session(request.error());
  if (base::Status s = take_up(record, *request); !s) return report(s.error());
  request->prompt = again.text;
  if (again.text == "-") {
    base::Result<std::string> text = setup::read_text("-");
    if (!text) return report(text.error());
    request->prompt = std::move(text).value();
  }
  return start_run(*request, diagnostics);
}

}  // namespace

void add_retry_command(CLI::App& app, setup::Diagnostics& diagnostics, Chosen& chosen) {
  CommandWith<AgainOptions> command(
      app, chosen, "retry", "run the same task again",
      [&diagnostics](const AgainOptions& again) { return retry(again, diagnostics); });
  command.option("run", command->run, "a run's id; of an issue the newest run").required();
  command->given_by = &command.app();
  add_run_options(command, options::Also::kAgain, command->anew);
  add_json_flag(command, command->anew);
  command.footer(
      "Task, agent and limits come from the record, and so do policy and model unless they are "
      "given; the work directory stays as it is "
      "(orch undo restores it). The values of --env are not recorded:\n"
      "orch's own environment has to have them. Exits as orch run does; 4: the run does not "
      "exist.\n\n"
      "Examples:\n  orch retry 42\n  orch retry 20261121T225100123-42-0a1b -d");
}

void add_continue_command(CLI::App& app, setup::Diagnostics& diagnostics, Chosen& chosen) {
  CommandWith<AgainOptions> command(
      app, chosen, "continue", "a new run in the conversation of an earlier one",
      [&diagnostics](const AgainOptions& again) { return go_on(again, diagnostics); });
  command.option("run", command->run, "a run's id; of an issue the newest run").required();
  command.option("text", command->text, "what to say next; - reads it from standard input")
      .required();
  command->given_by = &command.app();
  add_run_options(command, options::Also::kAgain, command->anew);
  add_json_flag(command, command->anew);
  command.footer(
      "The agent is started with all that was said in the old run, also where orch or the machine\n"
      "died in the middle of it, and with the options that the run had. It is refused if the agent "
      "cannot continue, or its own session is not known (orch show prints it). A run that is not\n"
      "over gets messages by orch send. Exits as orch run does; 4: the run does not exist.\n\n"
      "Examples:\n  orch continue 42 \"now add a test for it\"\n"
      "  git diff | orch continue 20261121T225100123-42-0a1b - -d");
}

}  // namespace orch::cli
