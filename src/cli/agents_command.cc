#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adapters/lint.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/coverage.h"
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
  for (const adapters::BadManifest& bad : agents.bad()) {
    list.push_back({{"agent", bad.agent},
                    {"file", bad.path},
                    {"installed", false},
                    {"trusted", true},
                    {"detail", bad.why}});
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
  for (const adapters::BadManifest& bad : agents.bad()) {
    std::printf("%-10s %-20s %-10s %s\n", base::printable(bad.agent).c_str(), "-", "wrong",
                bad.why.c_str());
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

// Checks a manifest file: one line for each mistake. If recordings are named, also prints what the
// manifest's rules find in them.
int check_manifest(const std::string& path, const std::vector<std::string>& recordings) {
  base::Result<std::string> text = setup::read_text(path);
  if (!text) return report(text.error());
  int code = 0;
  for (const std::string& mistake : adapters::lint_manifest(*text, path)) {
    code = report(base::usage_error(mistake));
  }
  base::Result<adapters::Manifest> manifest = adapters::parse_manifest(*text, path);
  if (!manifest) return code;
  if (code == 0) {
    std::printf("%s: agent %s, %zu rules: well formed\n", base::printable(path).c_str(),
                manifest->name.c_str(), manifest->rules.rules.size());
  }
  if (recordings.empty()) return code;
  const base::Status covered = print_coverage(recordings, *manifest);
  return code == 0 && !covered ? report(covered.error()) : code;
}

int print_schema() {
  std::fputs(base::json_text(adapters::manifest_schema()).c_str(), stdout);
  return 0;
}

}  // namespace

void add_agents_command(CLI::App& app, std::vector<std::string> after_dashes, Chosen& chosen) {
  struct Options {
    bool json = false, schema = false;
    std::string check;
    std::vector<std::string> recordings;
  };
  CommandWith<Options> command(
      app, chosen, "agents", "the agents that are known, and which are installed",
      [](const Options& options) {
        if (options.schema) return print_schema();
        return options.check.empty() ? list_agents(options.json)
                                     : check_manifest(options.check, options.recordings);
      });
  command.takes_subcommand(false);
  add_show_agent(command.app(), chosen);
  add_new_agent(command.app(), std::move(after_dashes), chosen);
  command.flag("--json", command->json, "as JSON");
  command.flag("--schema", command->schema,
               "the JSON Schema of a manifest, for completion in an editor");
  command.option("--check", command->check, "check a manifest instead");
  command
      .option("--on", command->recordings,
              "with --check: print the statuses in a recording and the rules that decide; several "
              "times")
      .one_word();
  command.footer(
      "An agent is data: put a manifest into $XDG_CONFIG_HOME/orch/adapters or\n"
      "<repository>/.orch/adapters to add one or to replace one of these: docs/manifest.md.");
}

}  // namespace orch::cli
