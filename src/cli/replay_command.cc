#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/agents.h"
#include "cli/command.h"
#include "cli/paths.h"
#include "session/replay.h"

namespace orch::cli {
namespace {

struct ReplayOptions {
  std::string file, agent;
  bool json = false;
};

void print_text(const session::ReplayedEvent& replayed) {
  const auto* change = std::get_if<event::StatusChange>(&replayed.event);
  if (change == nullptr) return;
  std::string status(event::name(change->status));
  if (change->cause != event::Cause::kNone) {
    status.append("/").append(event::name(change->cause));
  }
  std::printf("%10.3f  %-20s %s\n", static_cast<double>(replayed.ms) / 1000, status.c_str(),
              change->rule.c_str());
}

int replay(const ReplayOptions& options) {
  base::Result<std::string> here = resolve_folder(".");
  if (!here) return report(here.error());
  base::Result<adapters::Registry> agents = load_agents(repository_of(*here));
  if (!agents) return report(agents.error());
  base::Result<store::Cast> cast = store::read_cast(options.file);
  if (!cast) return report(cast.error());
  const std::string& name = options.agent.empty() ? cast->header.agent : options.agent;
  if (name.empty()) {
    return report(base::usage_error(options.file +
                                    " does not say which agent it shows; name it with --agent"));
  }
  base::Result<const adapters::Manifest*> manifest = find_agent(*agents, name);
  if (!manifest) return report(manifest.error());
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile((*manifest)->rules);
  if (!rules) return report(rules.error());
  session::Replay replay(*cast, **manifest, *rules);
  for (const session::ReplayedEvent& replayed : replay.run()) {
    if (options.json) {
      std::printf("%s\n", event::to_json({.ms = replayed.ms, .time = {}, .session = {}, .run = {}},
                                         replayed.event)
                              .c_str());
    } else {
      print_text(replayed);
    }
  }
  return 0;
}

}  // namespace

void add_replay_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("replay", "the statuses of a recording");
  auto options = std::make_shared<ReplayOptions>();
  command->add_option("file", options->file, "an asciicast recording")->required();
  command->add_option("--agent", options->agent, "which agent it shows (default: as it says itself)");
  command->add_flag("--json", options->json, "status and output records as JSON lines");
  command->footer("Examples:\n  orch replay output.cast\n  orch replay --agent claude --json x.cast");
  command->callback([options, &chosen] { chosen = [options] { return replay(*options); }; });
}

}  // namespace orch::cli
