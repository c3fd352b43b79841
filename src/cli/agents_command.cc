#include <cstdio>
#include <map>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "setup/agents.h"
#include "setup/paths.h"
#include "setup/recordings.h"
#include "setup/repository.h"
#include "setup/versions.h"

namespace orch::cli {
namespace {

using Versions = std::map<std::string, std::string>;

std::string version_of(const Versions& versions, const adapters::Manifest& agent) {
  const auto found = versions.find(agent.name);
  return found == versions.end() ? std::string() : found->second;
}

bool is_untested(const Versions& versions, const adapters::Manifest& agent) {
  return !setup::newer_note(agent, version_of(versions, agent)).empty();
}

void print_json(const adapters::Registry& agents, const Versions& versions,
                const std::vector<setup::BroughtFile>& left_out) {
  base::Json list = base::Json::array();
  for (const adapters::Manifest& agent : agents.all()) {
    list.push_back({{"agent", agent.name},
                    {"title", agent.title},
                    {"installed", setup::is_installed(agent)},
                    {"version", base::or_null(version_of(versions, agent))},
                    {"tested", base::or_null(agent.tested)},
                    {"newer_than_tested", is_untested(versions, agent)},
                    {"verified", agent.verified},
                    {"program", agent.program},
                    {"trusted", true}});
  }
  for (const setup::BroughtFile& file : left_out) {
    list.push_back({{"agent", nullptr},
                    {"file", file.relative},
                    {"installed", false},
                    {"trusted", false},
                    {"detail", file.trouble.empty() ? setup::why_not(file) : file.trouble}});
  }
  std::fputs(base::json_text(list).c_str(), stdout);
}

void print_table(const adapters::Registry& agents, const Versions& versions,
                 const std::vector<setup::BroughtFile>& left_out) {
  std::printf("%-10s %-20s %-10s %s\n", "AGENT", "NAME", "INSTALLED", "TESTED WITH");
  for (const adapters::Manifest& agent : agents.all()) {
    const std::string tested = !agent.verified        ? "never run: written from documentation"
                               : agent.tested.empty() ? "-"
                                                      : agent.tested;
    const std::string version = version_of(versions, agent);
    const std::string installed = !setup::is_installed(agent) ? "no"
                                  : version.empty()           ? "yes"
                                                              : version;
    std::printf("%-10s %-20s %-10s %s\n", base::printable(agent.name).c_str(),
                base::printable(agent.title).c_str(), installed.c_str(), tested.c_str());
  }
  for (const setup::BroughtFile& file : left_out) {
    std::printf("%-10s %-20s %-10s %s\n", "-", "-", "untrusted",
                base::printable(file.relative).c_str());
  }
  for (const adapters::Manifest& agent : agents.all()) {
    const std::string note = setup::newer_note(agent, version_of(versions, agent));
    if (!note.empty()) std::fprintf(stderr, "orch: %s\n", note.c_str());
  }
}

int list_agents(bool json) {
  base::Result<std::string> here = setup::resolve_folder(".");
  if (!here) return report(here.error());
  base::Result<setup::UserManifests> manifests = setup::user_manifests(setup::repository_of(*here));
  if (!manifests) return report(manifests.error());
  base::Result<adapters::Registry> agents = setup::load_agents(*manifests);
  if (!agents) return report(agents.error());
  const Versions versions = setup::installed_versions(*agents);
  json ? print_json(*agents, versions, manifests->left_out)
       : print_table(*agents, versions, manifests->left_out);
  return 0;
}

// Checks a manifest file. If a recording is named, also prints the statuses that the manifest's
// rules find in it.
int check_manifest(const std::string& path, const std::string& recording) {
  base::Result<std::string> text = setup::read_text(path);
  if (!text) return report(text.error());
  base::Result<adapters::Manifest> manifest = adapters::parse_manifest(*text, path);
  if (!manifest) return report(manifest.error());
  std::printf("%s: agent %s, %zu rules: well formed\n", base::printable(path).c_str(),
              manifest->name.c_str(), manifest->rules.rules.size());
  if (recording.empty()) return 0;
  base::Result<store::CastReader> cast = setup::open_recording(recording);
  if (!cast) return report(cast.error());
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest->rules);
  if (!rules) return report(rules.error());
  session::Replay replay(*cast, *manifest, *rules);
  replay.run(setup::print_status);
  const base::Status whole = cast->trouble();
  return whole ? 0 : report(whole.error());
}

}  // namespace

void add_agents_command(CLI::App& app, Chosen& chosen) {
  struct Options {
    bool json = false;
    std::string check, recording;
  };
  CommandWith<Options> command(
      app, chosen, "agents", "the agents that are known, and which are installed",
      [](const Options& options) {
        return options.check.empty() ? list_agents(options.json)
                                     : check_manifest(options.check, options.recording);
      });
  command.takes_subcommand(false);
  add_show_agent(command.app(), chosen);
  command.flag("--json", command->json, "as JSON");
  command.option("--check", command->check, "check a manifest instead");
  command.option("--on", command->recording,
                 "with --check: print the statuses that it finds in a recording");
  command.footer(
      "An agent is data: put a manifest into $XDG_CONFIG_HOME/orch/adapters or\n"
      "<repository>/.orch/adapters to add one or to replace one of these. See HACKING.md.");
}

}  // namespace orch::cli
