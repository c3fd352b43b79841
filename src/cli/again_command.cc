// orch retry and orch continue: a new run that has an old one for its parent.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "adapters/launch.h"
#include "cli/agents.h"
#include "cli/command.h"
#include "cli/container_options.h"
#include "cli/paths.h"
#include "cli/run_command.h"
#include "cli/run_request.h"
#include "client/find.h"
#include "client/runs.h"

namespace orch::cli {
namespace {

using base::usage_error;

struct AgainOptions {
  std::string run;
  std::string text;  // of continue
  bool detach = false;
  std::string output = "text";
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

// The options that the run had; kNotFound when there is no such run.
base::Result<RunOptions> options_again(const AgainOptions& again, store::RunRecord& record) {
  const base::Result<client::Place> place = place_of(again.state_dir);
  if (!place) return place.error();
  const base::Result<client::Found> found =
      client::find_run(*place, again.run, client::Reach::kHere);
  if (!found) return found.error();
  base::Result<client::RunView> run = client::view_run(place->state_dir, found->run);
  if (!run) return run.error();
  record = std::move(run->record);
  base::Result<RunOptions> options = options_of(record);
  if (!options) return options;
  options->state_dir = place->state_dir;
  options->detach = again.detach;
  options->output = again.output;
  options->color = again.color;
  return options;
}

bool is_open(store::RunStatus status) {
  return status == store::RunStatus::kStarting || status == store::RunStatus::kRunning;
}

// What the agent needs to go on in its own session.
base::Status take_up(const store::RunRecord& record, RunOptions& options) {
  if (is_open(record.status)) {
    return usage_error("run " + record.id + " is not over; tell its agent: orch send " +
                       record.issue);
  }
  const base::Result<std::string> cwd = resolve_folder(options.cwd);
  if (!cwd) return cwd.error();
  const base::Result<adapters::Registry> agents = load_agents(repository_of(*cwd));
  if (!agents) return agents.error();
  const base::Result<const adapters::Manifest*> manifest = find_agent(*agents, record.agent);
  if (!manifest) return manifest.error();
  const bool headless = options.mode == "headless";
  if (base::Status s = headless ? adapters::check_resumes_headless(**manifest)
                                : adapters::check_resumes(**manifest);
      !s) {
    return s;
  }
  if (wants_container(options.sandbox) && options.sandbox.container.empty()) {
    return usage_error("run " + record.id + " was in a container of its own, and " + record.agent +
                       "'s session went with it; orch retry begins anew");
  }
  if (record.agent_session.empty()) {
    return usage_error("run " + record.id + " does not know " + record.agent +
                       "'s own session, so nothing can go on with it; orch retry begins anew");
  }
  options.resume = record.agent_session;
  return base::Ok{};
}

int retry(const AgainOptions& again, Diagnostics& diagnostics) {
  store::RunRecord record;
  base::Result<RunOptions> options = options_again(again, record);
  if (!options) return report_no_session(options.error());
  return start_run(std::move(options).value(), Wish::kRecord, diagnostics);
}

int go_on(const AgainOptions& again, Diagnostics& diagnostics) {
  store::RunRecord record;
  base::Result<RunOptions> options = options_again(again, record);
  if (!options) return report_no_session(options.error());
  if (base::Status s = take_up(record, *options); !s) return report(s.error());
  options->prompt = again.text;
  if (again.text == "-") {
    base::Result<std::string> text = read_text("-");
    if (!text) return report(text.error());
    options->prompt = std::move(text).value();
  }
  return start_run(std::move(options).value(), Wish::kRecord, diagnostics);
}

void add_common(CLI::App& command, AgainOptions& options) {
  command.add_flag("-d,--detach", options.detach,
                   "run in the background; prints the session's name");
  command.add_option("--output", options.output, "text, raw, json or quiet")->capture_default_str();
  add_color_option(command, options.color);
  command.add_option("--state-dir", options.state_dir, "where runs are kept");
}

}  // namespace

void add_retry_command(CLI::App& app, Diagnostics& diagnostics, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("retry", "a new run of what a run was asked for");
  auto options = std::make_shared<AgainOptions>();
  command->add_option("run", options->run, "a run's id; of an issue the newest run")->required();
  add_common(*command, *options);
  command->footer(
      "The task, the agent, the policy and the limits are those of the record, the work directory\n"
      "is as it is now (orch undo brings back what it was). The values of --env are not recorded:\n"
      "orch's own environment has to have them. Exits as orch run does; 4: there is no such "
      "run.\n\n"
      "Examples:\n  orch retry 42\n  orch retry 20261121T225100123-42-0a1b -d");
  command->callback([options, &diagnostics, &chosen] {
    chosen = [options, &diagnostics] { return retry(*options, diagnostics); };
  });
}

void add_continue_command(CLI::App& app, Diagnostics& diagnostics, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("continue", "a new run that goes on in the conversation of a run");
  auto options = std::make_shared<AgainOptions>();
  command->add_option("run", options->run, "a run's id; of an issue the newest run")->required();
  command->add_option("text", options->text, "what to say next; - reads it from standard input")
      ->required();
  add_common(*command, *options);
  command->footer(
      "The agent is started with all that was said in the old run, also where orch or the machine\n"
      "died in the middle of it, and with the options that the run had. It is refused where the\n"
      "agent cannot do so, or its own session is not known (orch show has it). A run that is not\n"
      "over gets messages by orch send. Exits as orch run does; 4: there is no such run.\n\n"
      "Examples:\n  orch continue 42 \"now add a test for it\"\n"
      "  git diff | orch continue 20261121T225100123-42-0a1b - -d");
  command->callback([options, &diagnostics, &chosen] {
    chosen = [options, &diagnostics] { return go_on(*options, diagnostics); };
  });
}

}  // namespace orch::cli
