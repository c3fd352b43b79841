#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/agents.h"
#include "cli/command.h"
#include "cli/paths.h"

namespace orch::cli {
namespace {

void print_json(const adapters::Registry& agents) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const adapters::Manifest& agent : agents.all()) {
    list.push_back({{"name", agent.name},
                    {"title", agent.title},
                    {"installed", is_installed(agent)},
                    {"tested", agent.tested},
                    {"verified", agent.verified},
                    {"program", agent.program}});
  }
  std::printf("%s\n", list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void print_table(const adapters::Registry& agents) {
  std::printf("%-10s %-20s %-10s %s\n", "AGENT", "NAME", "INSTALLED", "TESTED WITH");
  for (const adapters::Manifest& agent : agents.all()) {
    const std::string tested = !agent.verified       ? "never run: written from documentation"
                               : agent.tested.empty() ? "-"
                                                      : agent.tested;
    std::printf("%-10s %-20s %-10s %s\n", agent.name.c_str(), agent.title.c_str(),
                is_installed(agent) ? "yes" : "no", tested.c_str());
  }
}

int list_agents(bool json) {
  base::Result<std::string> here = resolve_folder(".");
  if (!here) return report(here.error());
  base::Result<adapters::Registry> agents = load_agents(repository_of(*here));
  if (!agents) return report(agents.error());
  json ? print_json(*agents) : print_table(*agents);
  return 0;
}

}  // namespace

void add_agents_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("agents", "the agents that are known, and which are installed");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON");
  command->footer(
      "An agent is data: put a manifest into $XDG_CONFIG_HOME/orch/adapters or\n"
      "<repository>/.orch/adapters to add one or to replace one of these. See HACKING.md.");
  command->callback([json, &chosen] { chosen = [json] { return list_agents(*json); }; });
}

}  // namespace orch::cli
