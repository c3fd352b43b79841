#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "adapters/capabilities.h"
#include "base/json.h"
#include "cli/new_command.h"
#include "setup/agents.h"
#include "setup/paths.h"

namespace orch::cli {
namespace {

using adapters::Capability;

void print_all(const adapters::Registry& agents) {
  constexpr std::array<std::pair<Capability, const char*>, 7> kColumns{
      {{Capability::kModel, "MODEL"},
       {Capability::kEffort, "EFFORT"},
       {Capability::kSystemPrompt, "SYSTEM-PROMPT"},
       {Capability::kNonInteractive, "HEADLESS"},
       {Capability::kResume, "CONTINUE"},
       {Capability::kPromptFileInclusion, "@FILES"},
       {Capability::kUsage, "USAGE"}}};
  const auto put = [](const char* cell, const char* title) {
    std::printf("  %-*s", static_cast<int>(std::string_view(title).size()), cell);
  };
  std::printf("%-10s", "AGENT");
  for (const auto& [capability, title] : kColumns) put(title, title);
  std::printf("\n");
  for (const adapters::Manifest& agent : agents.all()) {
    std::printf("%-10s", agent.name.c_str());
    for (const auto& [capability, title] : kColumns) {
      put(adapters::supports(agent, capability) ? "yes" : "no", title);
    }
    std::printf("\n");
  }
}

int list_capabilities(const std::string& name, bool json) {
  const base::Result<std::string> here = setup::resolve_folder(".");
  if (!here) return report(here.error());
  const base::Result<adapters::Registry> agents = setup::load_agents(setup::repository_of(*here));
  if (!agents) return report(agents.error());
  if (name.empty()) {
    base::Json list = base::Json::array();
    for (const adapters::Manifest& agent : agents->all()) list.push_back(adapters::to_json(agent));
    json ? void(std::fputs(base::json_text(list).c_str(), stdout)) : print_all(*agents);
    return 0;
  }
  const base::Result<const adapters::Manifest*> agent = setup::find_agent(*agents, name);
  if (!agent) return report(agent.error());
  const std::string text =
      json ? base::json_text(adapters::to_json(**agent)) : adapters::to_text(**agent);
  std::fputs(text.c_str(), stdout);
  return 0;
}

void add_named(CLI::App& parent, const std::string& name, Chosen& chosen) {
  struct Options {
    std::string agent;
    bool json = false;
  };
  CommandWith<Options> command(
      parent, chosen, name, "the abilities of each agent, with its own words for them",
      [](const Options& options) { return list_capabilities(options.agent, options.json); });
  command.option("agent", command->agent, "of this one only, with the words that it is given");
  command.flag("--json", command->json, "as JSON: an object, without AGENT a list of them");
  command.footer(
      "orch run refuses an option that its agent lacks before it starts anything. The models are "
      "the agent's own list; it may take others, too.\n\n"
      "Examples:\n  orch agents show\n  orch agents show codex\n"
      "  orch agents show claude --json | jq .supports_resume");
}

}  // namespace

void add_capabilities_command(CLI::App& app, Chosen& chosen) {
  add_named(app, "capabilities", chosen);
}

void add_show_agent(CLI::App& agents, Chosen& chosen) { add_named(agents, "show", chosen); }

}  // namespace orch::cli
